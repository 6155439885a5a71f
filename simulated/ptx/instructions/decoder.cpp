#include "simulated/ptx/instructions/decoder.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace simulated::ptx {

namespace {

constexpr std::size_t alignment = 64;

[[noreturn]] void unexpected(const Operand& operand, const std::string& what) {
  throw Unknown(what + (operand.name.empty() ? "" : ": " + operand.name));
}

}  // namespace

Opcode::Opcode(const Statement& statement) : name(statement.opcode.front()) {
  for (std::size_t i = 1; i < statement.opcode.size(); ++i) {
    if (const std::optional<Type> type = type_named(statement.opcode[i])) types.push_back(*type);
    else words.push_back(statement.opcode[i]);
  }
}

bool Opcode::has(std::string_view word) const { return std::find(words.begin(), words.end(), word) != words.end(); }

bool Opcode::only(std::initializer_list<std::string_view> known) const {
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(known.begin(), known.end(), word) != known.end();
  });
}

Place Operands::allocate(std::size_t bytes) {
  const std::size_t at = register_bytes_;
  register_bytes_ += (bytes + alignment - 1) / alignment * alignment;
  return static_cast<Place>(at);
}

Place Operands::reg(const std::string& name, unsigned& bytes) {
  const std::optional<Type> type = body_->find_register(name);
  if (!type) {
    bytes = name == "%clock64" || name == "%globaltimer" || name == "%gridid" ? 8 : 4;
    return special(name);
  }
  bytes = size_of(*type);
  const auto [found, fresh] = registers_.try_emplace(prefix_ + name, 0);
  if (fresh) found->second = allocate(*type == Type::pred ? sizeof(Mask) : std::size_t{bytes} * warp_size);
  return found->second;
}

Place Operands::special(const std::string& name) {
  static const std::vector<std::string> known = {
      "%tid.x",       "%tid.y",       "%tid.z",       "%ntid.x",      "%ntid.y",     "%ntid.z", "%ctaid.x",
      "%ctaid.y",     "%ctaid.z",     "%nctaid.x",    "%nctaid.y",    "%nctaid.z",   "%laneid", "%warpid",
      "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge", "%lanemask_eq"};
  if (std::find(known.begin(), known.end(), name) == known.end()) throw Unknown("an unknown register " + name);
  const auto [found, fresh] = specials_.try_emplace(name, 0);
  if (fresh) found->second = allocate(sizeof(std::uint32_t) * warp_size);
  return found->second;
}

Place Operands::constant(std::uint64_t bits, unsigned bytes) {
  if (bytes < 8) bits &= (std::uint64_t{1} << 8 * bytes) - 1;
  const auto [found, fresh] = constant_places_.try_emplace({bits, bytes}, 0);
  if (fresh) {
    found->second = static_cast<Place>(constants_.size()) | constant_bit;
    constants_.resize(constants_.size() + std::max<std::size_t>(std::size_t{bytes} * warp_size, alignment));
    for (unsigned lane = 0; lane < warp_size; ++lane)
      std::memcpy(constants_.data() + (found->second & ~constant_bit) + lane * bytes, &bits, bytes);
  }
  return found->second;
}

Place Operands::any(const Operand& operand, unsigned& bytes) {
  if (operand.kind != Operand::Kind::reg || operand.value != 0) unexpected(operand, "a register was expected");
  return reg(operand.name, bytes);
}

Place Operands::source(const Operand& operand, unsigned bytes) {
  switch (operand.kind) {
    case Operand::Kind::immediate: return constant(static_cast<std::uint64_t>(operand.value), bytes);
    case Operand::Kind::symbol: {
      const auto found = symbols_.find(prefix_ + operand.name);
      const auto global = found == symbols_.end() ? symbols_.find(operand.name) : found;
      if (global == symbols_.end()) unexpected(operand, "an unknown symbol");
      return constant(global->second.second + static_cast<std::uint64_t>(operand.value), bytes);
    }
    default: return target(operand, bytes);
  }
}

Place Operands::target(const Operand& operand, unsigned bytes) {
  if (operand.kind == Operand::Kind::sink) return allocate(std::size_t{bytes} * warp_size);
  unsigned got = 0;
  const Place result = any(operand, got);
  if (got != bytes) unexpected(operand, "a register of " + std::to_string(bytes) + " bytes was expected");
  return result;
}

Place Operands::predicate(const Operand& operand) {
  if (operand.kind == Operand::Kind::sink) return allocate(sizeof(Mask));
  if (operand.kind == Operand::Kind::immediate) {
    return constant(operand.value != 0 ? all_lanes : 0u, sizeof(Mask));
  }
  return predicate(operand.name);
}

Place Operands::predicate(const std::string& name) {
  unsigned bytes = 0;
  const Place result = reg(name, bytes);
  if (bytes != 0) throw Unknown("a predicate was expected: " + name);
  return result;
}

Place Operands::slot(const std::string& name, std::int64_t offset, unsigned bytes) {
  const auto alias = aliases_.find(prefix_ + name);
  const std::string& full = alias == aliases_.end() ? prefix_ + name : alias->second;
  const auto [found, fresh] =
      registers_.try_emplace("[" + full + "+" + std::to_string(offset) + "]:" + std::to_string(bytes), 0);
  if (fresh) found->second = allocate(std::size_t{bytes} * warp_size);
  return found->second;
}

Place Operands::address(const Operand& operand, Space space, std::int64_t& offset) {
  if (operand.kind != Operand::Kind::address) unexpected(operand, "an address was expected");
  const Operand& base = operand.parts.front();
  if (base.kind == Operand::Kind::immediate) {
    offset = 0;
    return constant(static_cast<std::uint64_t>(base.value), 8);
  }
  if (base.kind == Operand::Kind::symbol) {
    offset = 0;
    return source(base, 8);
  }
  Operand plain = base;
  plain.value = 0;
  unsigned bytes = 0;
  const Place place = any(plain, bytes);
  offset = base.value;
  if (bytes == 8) return place;
  if (bytes == 4 &&
      (space == Space::shared || space == Space::local || space == Space::param || space == Space::constant))
    return place;
  unexpected(operand, "an address of " + std::to_string(bytes) + " bytes");
}

bool Operands::is_symbol(const std::string& name, Space space) const {
  const auto found = symbols_.find(prefix_ + name);
  return found != symbols_.end() && found->second.first == space;
}

}  // namespace simulated::ptx
