#include "simulated/ptx/mutations.h"

#include "simulated/ptx/data_flow.h"
#include "simulated/ptx/result_types.h"
#include "simulated/ptx/same_numbers.h"
#include "simulated/ptx/text/type.h"
#include "simulated/ptx/truncations.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace simulated::ptx {

namespace {

using Pair = std::pair<const char*, const char*>;
constexpr std::array<Pair, 14> operations{{{"add", "sub"},
                                           {"sub", "add"},
                                           {"min", "max"},
                                           {"max", "min"},
                                           {"and", "or"},
                                           {"or", "and"},
                                           {"xor", "or"},
                                           {"shl", "shr"},
                                           {"shr", "shl"},
                                           {"neg", "abs"},
                                           {"abs", "neg"},
                                           {"div", "rem"},
                                           {"rem", "div"},
                                           {"mul", "add"}}};
constexpr std::array<Pair, 12> comparisons{{{"lt", "le"},
                                            {"le", "lt"},
                                            {"gt", "ge"},
                                            {"ge", "gt"},
                                            {"eq", "ne"},
                                            {"ne", "eq"},
                                            {"ltu", "leu"},
                                            {"leu", "ltu"},
                                            {"gtu", "geu"},
                                            {"geu", "gtu"},
                                            {"neu", "equ"},
                                            {"equ", "neu"}}};

template <std::size_t n> bool replace(std::string& word, const std::array<Pair, n>& pairs) {
  for (const auto& [from, to] : pairs)
    if (word == from) {
      word = to;
      return true;
    }
  return false;
}

bool change_operation(Statement& statement) {
  std::vector<std::string>& opcode = statement.opcode;
  if (opcode[0] == "setp" && opcode.size() > 1) return replace(opcode[1], comparisons);
  if (opcode.size() > 1 && is_one_of(opcode[1], {"wide", "hi", "cc"})) return false;
  if (opcode[0] == "mul" && opcode.size() > 1 && opcode[1] == "lo") opcode.erase(opcode.begin() + 1);
  const bool floating = opcode.back().starts_with('f');
  if (floating && is_one_of(opcode[0], {"div", "rem"})) return false;
  return replace(opcode[0], operations);
}

bool change_immediate(Statement& statement) {
  if (is_one_of(statement.opcode[0], {"shfl", "bar", "vote", "nanosleep"})) return false;
  for (Operand& operand : statement.operands)
    if (operand.kind == Operand::Kind::immediate) {
      if (operand.literal == Type::b64) {
        ++operand.value;
      } else if (operand.value == 0) {
        operand.value = operand.literal == Type::f32 ? 0x3F800000 : 0x3FF0000000000000;
      } else {
        operand.value += std::int64_t{1} << (operand.literal == Type::f32 ? 20 : 50);
      }
      return true;
    }
  return false;
}

bool swap_sources(Statement& statement) {
  const std::vector<std::string>& opcode = statement.opcode;
  std::vector<Operand>& operands = statement.operands;
  if (is_one_of(opcode[0], {"fma", "mad"}) && operands.size() == 4 && !is_one_of(opcode[1], {"wide", "hi"})) {
    std::swap(operands[1], operands[3]);
    return !is_same(operands[1], operands[3]);
  }
  if (!is_one_of(opcode[0], {"sub", "setp", "selp", "div", "rem", "shl", "shr"}) || operands.size() < 3) return false;
  if (opcode[0] == "setp" && is_one_of(opcode[1], {"eq", "ne", "equ", "neu", "num", "nan"})) return false;
  std::swap(operands[1], operands[2]);
  return !is_same(operands[1], operands[2]);
}

bool negate_guard(Statement& statement) {
  if (statement.guard.empty()) return false;
  statement.guard_negated = !statement.guard_negated;
  return true;
}

bool drop_store(Statement& statement) {
  if (!is_one_of(statement.opcode[0], {"st", "red"})) return false;
  remove(statement);
  return true;
}

Operand make_register(const std::string& name) {
  Operand operand;
  operand.kind = Operand::Kind::reg;
  operand.name = name;
  return operand;
}
Operand make_number(std::int64_t value) {
  Operand operand;
  operand.kind = Operand::Kind::immediate;
  operand.value = value;
  return operand;
}

bool is_division(const Statement& statement, std::initializer_list<const char*> types) {
  return is_one_of(statement.opcode[0], {"div", "rem"}) && is_one_of(statement.opcode.back(), types);
}

/// Whether control that comes to `at` runs a statement that is asked for before it branches.
template <class F> bool runs(const Body& body, std::size_t at, const F& asked) {
  for (std::size_t i = at; i < body.statements.size() && body.statements[i].opcode[0] != "bra"; ++i)
    if (asked(body.statements[i])) return true;
  return false;
}

bool divides(const Body& body, std::size_t at, std::initializer_list<const char*> types) {
  return runs(body, at, [&](const Statement& statement) { return is_division(statement, types); });
}

/// Whether control that comes to `at` divides by multiplication with a magic number from the parameters.
bool multiplies_high(const Body& body, std::size_t at) {
  for (std::size_t i = at; i < std::min(at + 2, body.statements.size()); ++i) {
    const std::vector<std::string>& opcode = body.statements[i].opcode;
    if (opcode[0] == "mul" && opcode.size() > 1 && opcode[1] == "hi") return true;
    if (opcode[0] != "ld" || opcode[1] != "param") return false;
  }
  return false;
}

/// `or.b64 a, x, y; and.b64 b, a, -4294967296; setp.ne.s64 p, b, 0; @p bra wide;`, as LLVM's BypassSlowDivision writes.
bool chooses_width(const Body& body, std::size_t first, std::size_t second) {
  const auto wide = {"s64", "u64"}, narrow = {"u32"};
  return (divides(body, first, wide) && divides(body, second, narrow)) ||
         (divides(body, first, narrow) && divides(body, second, wide));
}

/// `setp.ge.s32 p, next, rank; @p bra after;`, as Offsets of ops/loops/loop_device.cuh is compiled.
bool chooses_division(const Body& body, std::size_t first, std::size_t second) {
  return multiplies_high(body, first) != multiplies_high(body, second);
}

bool is_magic(const Statement& statement) {
  return statement.opcode[0] == "mul" && statement.opcode.size() > 1 && statement.opcode[1] == "hi";
}

/// `and.b64 x, y, -4294967296`: are there more than 32 bits? See chooses_width.
bool asks_for_width(const Statement& statement) {
  constexpr std::int64_t high_bits = -4294967296;
  return statement.opcode[0] == "and" && statement.operands.size() == 3 &&
         statement.operands[2].kind == Operand::Kind::immediate && statement.operands[2].value == high_bits;
}

/// `setp.eq.s16 p, has_magic, 0; @p bra other;`, as ImageOrder of ops/convolution is compiled.
bool chooses_magic(const Body& body, std::size_t first, std::size_t second) {
  const auto by_magic = [&](std::size_t at) { return runs(body, at, is_magic); };
  const auto plainly = [&](std::size_t at) {
    return !by_magic(at) && (divides(body, at, {"s64", "u64", "u32"}) || runs(body, at, asks_for_width));
  };
  return (by_magic(first) && plainly(second)) || (by_magic(second) && plainly(first));
}

using Choice = bool (*)(const Body& body, std::size_t first, std::size_t second);

/// Whether statement `at` has no other effect than that of branches which `choice` accepts, with where they lead.
bool decides(const Body& body, std::size_t at, Choice choice, int depth = 0) {
  const std::vector<Statement>& statements = body.statements;
  if (statements[at].opcode[0] == "bra" && !statements[at].guard.empty()) {
    const auto target = body.labels.find(statements[at].operands[0].name);
    return target != body.labels.end() && choice(body, at + 1, target->second);
  }
  const std::string result = result_of(statements[at]);
  if (result.empty() || depth > 6) return false;
  bool read = false;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (i == at || !names(statements[i], result)) continue;
    if (result_of(statements[i]) == result) continue;  // the next round's value, of which the same is asked
    read = true;
    if (!decides(body, i, choice, depth + 1)) return false;
  }
  return read;
}

/// `max.s32 rounds, rank, 1` to `… 2`, where `rank` also says which dimension is the outermost.
bool takes_no_dimension(const Body& body, const Statement& original, const Statement& mutant) {
  const auto is_max = [](const Statement& statement, std::int64_t least) {
    return statement.opcode == std::vector<std::string>{"max", "s32"} && statement.operands[2].value == least &&
           statement.operands[2].kind == Operand::Kind::immediate;
  };
  if (!is_max(original, 1) || !is_max(mutant, 2)) return false;
  const std::string& rank = original.operands[1].name;
  for (std::size_t i = 0; i < body.statements.size(); ++i)
    if (body.statements[i].opcode[0] == "setp" && reads(body.statements[i], rank) && decides(body, i, chooses_division))
      return true;
  return false;
}

/// `ld.param.u32 repeated, [packed_loop_kernel…]; and.b32 bits, repeated, 2^k; setp.eq.s32 p, bits, 0` to `… 2^k + 1`.
bool asks_for_result(const Body& body, std::size_t at, const Statement& mutant) {
  const std::vector<Statement>& statements = body.statements;
  if (statements[at].opcode != std::vector<std::string>{"and", "b32"} || mutant.opcode != statements[at].opcode)
    return false;
  const Operand &bits = statements[at].operands[0], &from = statements[at].operands[1],
                &mask = statements[at].operands[2];
  const std::int64_t bit = mask.value;
  if (mask.kind != Operand::Kind::immediate || bit < 2 || (bit & (bit - 1)) != 0 || mutant.operands[2].value != bit + 1)
    return false;
  const auto is_fine = [&](const Statement& statement) {
    if (result_of(statement) == from.name)
      return statement.opcode[0] == "ld" && statement.opcode[1] == "param" &&
             statement.operands[1].name.find("packed_loop_kernel") != std::string::npos;
    return !reads(statement, bits.name) || (statement.opcode[0] == "setp" && statement.operands[2].value == 0);
  };
  return std::all_of(statements.begin(), statements.end(), is_fine);
}

}  // namespace

bool mutate(Statement& statement, std::mt19937_64& random) {
  struct Way {
    const char* name;
    bool (*change)(Statement&);
  };
  std::array<Way, 5> ways{{{"operation", change_operation},
                           {"immediate", change_immediate},
                           {"sources", swap_sources},
                           {"guard", negate_guard},
                           {"store", drop_store}}};
  std::shuffle(ways.begin(), ways.end(), random);
  for (const Way& way : ways) {
    Statement changed = statement;
    if (!way.change(changed)) continue;
    changed.text += std::string(" [") + (way.change == drop_store ? "no " : "another ") + way.name + "]";
    statement = std::move(changed);
    return true;
  }
  return false;
}

bool is_barrier(const Statement& statement) {
  return statement.opcode[0] == "bar" && statement.opcode.back() == "sync" && statement.operands.size() == 1;
}

void remove(Statement& statement) {
  statement.opcode = {"nanosleep", "u32"};
  statement.operands = {make_number(0)};
}

std::optional<Body> probe(const Body& body, std::size_t at, const Statement& mutant) {
  const Statement& original = body.statements[at];
  const std::string result = result_of(original);
  const std::optional<Type> type = result.empty() ? std::nullopt : body.find_register(result);
  if (!type || result_of(mutant) != result || mutant.guard_negated != original.guard_negated) return std::nullopt;
  const std::string other = "%other_result", different = "%different";
  Body probing = body;
  probing.registers[other] = *type;
  probing.registers[different] = Type::pred;
  Statement first = mutant;
  first.operands[0].name = other;
  Statement compare = original, stop = original;
  compare.text = stop.text = original.text + " [compared]";
  if (*type == Type::pred) compare.opcode = {"xor", "pred"};
  else compare.opcode = {"setp", "ne", "b" + std::to_string(8 * size_of(*type))};
  compare.operands = {make_register(different), make_register(other), make_register(result)};
  stop.opcode = {"trap"};
  stop.operands.clear();
  stop.guard = different;
  stop.guard_negated = false;
  // Under a guard the comparison may not happen.
  Statement reset = compare;
  reset.guard.clear();
  reset.opcode = {"setp", "ne", "s32"};
  reset.operands = {make_register(different), make_number(0), make_number(0)};
  const auto place = [&](std::size_t offset) {
    return probing.statements.begin() + static_cast<std::ptrdiff_t>(at + offset);
  };
  probing.statements.insert(place(1), {compare, stop});
  probing.statements.insert(place(0), {reset, first});
  for (auto& [name, index] : probing.labels)
    if (index > at) index += 4;
  return probing;
}

std::string equivalence(const Body& body, std::size_t at, const Statement& mutant) {
  const Statement& statement = body.statements[at];
  if (const std::string result = result_of(statement); !result.empty()) {
    bool used = false;
    for (std::size_t i = 0; i < body.statements.size() && !used; ++i)
      used = i != at && names(body.statements[i], result);
    if (!used) return "unused";
  }
  if (decides(body, at, chooses_width)) return "width";
  if (decides(body, at, chooses_magic)) return "magic";
  if (decides(body, at, chooses_division)) return "outermost";
  if (takes_no_dimension(body, statement, mutant)) return "no dimension";
  if (asks_for_result(body, at, mutant)) return "result";
  if (is_overruled_truncation(body, at, mutant)) return "overruled";
  if (is_for_other_results(body, at, mutant)) return "result type";
  if (breaks_a_tie(body, statement, mutant)) return "tie";
  if (is_squared(body, statement, mutant)) return "square";
  if (is_another_truth(body, statement, mutant)) return "truth";
  if (is_division(statement, {"s64", "u64"})) return "wide division";
  return {};
}

}  // namespace simulated::ptx
