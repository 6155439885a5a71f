#include "simulated/ptx/text/type.h"

#include <array>
#include <cstddef>

namespace simulated::ptx {

namespace {

struct Row {
  std::string_view name;
  unsigned bytes;
};
/// Names and sizes in the order of the enumeration.
constexpr std::array<Row, 20> rows{{{"b8", 1},    {"b16", 2},    {"b32", 4}, {"b64", 8}, {"b128", 16},
                                    {"u8", 1},    {"u16", 2},    {"u32", 4}, {"u64", 8}, {"s8", 1},
                                    {"s16", 2},   {"s32", 4},    {"s64", 8}, {"f16", 2}, {"bf16", 2},
                                    {"f16x2", 4}, {"bf16x2", 4}, {"f32", 4}, {"f64", 8}, {"pred", 0}}};

}  // namespace

unsigned size_of(Type type) { return rows[static_cast<std::size_t>(type)].bytes; }

bool is_signed(Type type) { return type >= Type::s8 && type <= Type::s64; }

std::optional<Type> type_named(std::string_view name) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].name == name) return static_cast<Type>(i);
  return std::nullopt;
}

}  // namespace simulated::ptx
