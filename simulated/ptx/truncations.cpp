#include "simulated/ptx/truncations.h"

#include "simulated/ptx/text/type.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simulated::ptx {

namespace {

bool is_operand(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.name == b.name && a.value == b.value;
}

enum class End : std::uint8_t { none, lowest, beyond };

/// The end of int32 or int64 that an immediate is.
End end_of(const Operand& operand) {
  if (operand.kind != Operand::Kind::immediate) return End::none;
  const auto bits = static_cast<std::uint64_t>(operand.value);
  const auto is_either = [&](std::uint64_t of_int32, std::uint64_t of_int64) {
    return bits == of_int32 || bits == of_int64;
  };
  if (operand.literal == Type::f32)
    return is_either(0xCF000000, 0xDF000000)   ? End::lowest
           : is_either(0x4F000000, 0x5F000000) ? End::beyond
                                               : End::none;
  if (operand.literal != Type::f64) return End::none;
  return is_either(0xC1E0000000000000, 0xC3E0000000000000)   ? End::lowest
         : is_either(0x41E0000000000000, 0x43E0000000000000) ? End::beyond
                                                             : End::none;
}

bool compares_with(const Statement& statement, const char* how, End end) {
  return statement.opcode[0] == "setp" && statement.opcode.size() == 3 && statement.opcode[1] == how &&
         statement.operands.size() == 3 && end_of(statement.operands[2]) == end;
}

/// The positions of the four comparisons.
struct Truncation {
  std::size_t not_below, not_beyond, beyond, below;
};

constexpr std::size_t reach = 10;  // statements between two comparisons, at most

std::optional<Truncation> truncation_at(const Body& body, std::size_t first) {
  const std::vector<Statement>& statements = body.statements;
  if (!compares_with(statements[first], "ge", End::lowest)) return std::nullopt;
  const auto find = [&](std::size_t after, const char* how, End end) {
    for (std::size_t i = after + 1; i < std::min(after + reach, statements.size()); ++i)
      if (compares_with(statements[i], how, end) &&
          is_operand(statements[i].operands[1], statements[first].operands[1]))
        return i;
    return statements.size();
  };
  const std::size_t not_beyond = find(first, "lt", End::beyond);
  const Truncation found{first, not_beyond, find(not_beyond, "ge", End::beyond), find(not_beyond, "lt", End::lowest)};
  if (std::max(found.beyond, found.below) >= statements.size()) return std::nullopt;
  return found;
}

/// Whether numbers below the lowest become 0, as the low bits of the lowest are.
bool gives_zero(const Body& body, std::size_t below) {
  const std::vector<Statement>& statements = body.statements;
  const std::string& is_below = statements[below].operands[0].name;
  for (std::size_t i = below + 1; i < std::min(below + reach, statements.size()); ++i) {
    const Statement& statement = statements[i];
    if (statement.opcode[0] == "selp" && statement.operands[3].name == is_below)
      return statement.operands[1].kind == Operand::Kind::immediate && statement.operands[1].value == 0;
  }
  return false;
}

}  // namespace

bool is_overruled_truncation(const Body& body, std::size_t at, const Statement& mutant) {
  const Statement& original = body.statements[at];
  if (original.operands.size() != 3 || mutant.operands.size() != 3 || original.guard != mutant.guard ||
      original.guard_negated != mutant.guard_negated)
    return false;
  const bool same_operation = mutant.opcode == original.opcode;
  const bool same_number = is_operand(mutant.operands[1], original.operands[1]);
  const bool same_last = is_operand(mutant.operands[2], original.operands[2]);
  if (!same_number || same_operation == same_last) return false;
  for (std::size_t first = at < 2 * reach ? 0 : at - 2 * reach; first <= at; ++first) {
    const auto found = truncation_at(body, first);
    if (!found || at > std::max(found->below, found->beyond)) continue;
    // The mutator moves an end away from 0 by an eighth.
    // `x < lowest` is overruled; of `lowest` itself, 8-bit types keep zeros.
    if (at == found->not_below) return same_operation || (mutant.opcode[1] == "gt" && gives_zero(body, found->below));
    if (at == found->not_beyond) return true;  // so is `x >= beyond`
    // `lowest` becomes itself, and what is below it 0 in any case if the type has 8 bits.
    if (at == found->below) return mutant.opcode[1] == "le" || (same_operation && gives_zero(body, found->below));
    // `p or q` is wrong beyond the ends only: NaN is in neither.
    if (original.opcode[0] == "and" && mutant.opcode[0] == "or" && at > found->not_beyond &&
        at < std::min(found->beyond, found->below))
      return original.operands[1].name == body.statements[found->not_below].operands[0].name &&
             original.operands[2].name == body.statements[found->not_beyond].operands[0].name;
  }
  return false;
}

}  // namespace simulated::ptx
