#include "simulated/ptx/same_numbers.h"

#include "simulated/ptx/data_flow.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simulated::ptx {

namespace {

bool is_number(const Operand& operand, std::int64_t number) {
  return operand.kind == Operand::Kind::immediate && operand.value == number;
}

/// Whether the predicate has no other effect than to select one of two numbers, also after `and` and `or` with others.
bool selects(const Body& body, const std::string& predicate, const Operand& a, const Operand& b) {
  bool read = false;
  for (const Statement& reader : body.statements) {
    if (!reads(reader, predicate)) continue;
    read = true;
    if (is_one_of(reader.opcode[0], {"and", "or"}) && reader.opcode.back() == "pred") {
      if (!selects(body, reader.operands[0].name, a, b)) return false;
      continue;
    }
    if (reader.opcode[0] != "selp" || reader.guard == predicate) return false;
    const Operand &x = reader.operands[1], &y = reader.operands[2];
    if (!(is_same(x, a) && is_same(y, b)) && !(is_same(x, b) && is_same(y, a))) return false;
  }
  return read;
}

/// Whether of the register is only asked whether its lowest byte is 0, also after `or` with others.
bool is_truth(const Body& body, const std::string& name, int depth = 0) {
  bool read = false;
  for (const Statement& reader : body.statements) {
    if (!reads(reader, name)) continue;
    read = true;
    const std::vector<std::string>& opcode = reader.opcode;
    if (opcode[0] == "setp" && is_one_of(opcode[1], {"eq", "ne"}) && is_number(reader.operands[2], 0)) continue;
    if (opcode[0] != "or" && !(opcode[0] == "and" && is_number(reader.operands[2], 255))) return false;
    if (depth > 4 || !is_truth(body, reader.operands[0].name, depth + 1)) return false;
  }
  return read;
}

}  // namespace

bool breaks_a_tie(const Body& body, const Statement& statement, const Statement& mutant) {
  if (statement.opcode[0] != "setp" || mutant.opcode[0] != "setp" || statement.operands.size() != 3) return false;
  using Pair = std::pair<const char*, const char*>;
  constexpr std::array<Pair, 4> ties{{{"lt", "le"}, {"gt", "ge"}, {"ltu", "leu"}, {"gtu", "geu"}}};
  const std::string &from = statement.opcode[1], &to = mutant.opcode[1];
  const bool strictness = std::any_of(ties.begin(), ties.end(), [&](const Pair& tie) {
    return (from == tie.first && to == tie.second) || (from == tie.second && to == tie.first);
  });
  const Operand &a = statement.operands[1], &b = statement.operands[2];
  if (!strictness || !is_same(a, mutant.operands[1]) || !is_same(b, mutant.operands[2])) return false;
  return selects(body, statement.operands[0].name, a, b);
}

bool is_squared(const Body& body, const Statement& statement, const Statement& mutant) {
  if (statement.opcode[0] != "sub" || mutant.opcode != statement.opcode ||
      !is_same(statement.operands[1], mutant.operands[2]) || !is_same(statement.operands[2], mutant.operands[1]))
    return false;
  const std::string& result = statement.operands[0].name;
  const auto is_fine = [&](const Statement& reader) {
    return !reads(reader, result) || (is_one_of(reader.opcode[0], {"mul", "fma"}) && reader.guard != result &&
                                      reader.operands[1].name == result && reader.operands[2].name == result &&
                                      (reader.operands.size() < 4 || reader.operands[3].name != result));
  };
  return std::all_of(body.statements.begin(), body.statements.end(), is_fine);
}

bool is_another_truth(const Body& body, const Statement& statement, const Statement& mutant) {
  const auto is_true = [](const Operand& operand) {
    return operand.kind == Operand::Kind::immediate && operand.literal == Type::b64 && (operand.value & 255) != 0;
  };
  return statement.opcode[0] == "selp" && mutant.opcode == statement.opcode && is_true(statement.operands[1]) &&
         is_true(mutant.operands[1]) && is_same(statement.operands[2], mutant.operands[2]) &&
         is_same(statement.operands[3], mutant.operands[3]) && is_truth(body, statement.operands[0].name);
}

}  // namespace simulated::ptx
