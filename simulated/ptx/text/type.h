#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace simulated::ptx {

/// The types of PTX's instructions and registers ("Fundamental Types" and "Packed Data Types" of the PTX ISA).
enum class Type : std::uint8_t {
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  bf16,
  f16x2,
  bf16x2,
  f32,
  f64,
  pred
};

/// The size in bytes. A predicate of a warp is one word of bits, so it has no size per lane.
unsigned size_of(Type type);
bool is_signed(Type type);
/// "u32" is u32; none for a word that is no type.
std::optional<Type> type_named(std::string_view name);

}  // namespace simulated::ptx
