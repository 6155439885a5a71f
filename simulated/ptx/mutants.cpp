#include "simulated/ptx/mutants.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

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
  if (opcode.size() > 1 && (opcode[1] == "wide" || opcode[1] == "hi" || opcode[1] == "cc")) return false;
  if (opcode[0] == "mul" && opcode.size() > 1 && opcode[1] == "lo") opcode.erase(opcode.begin() + 1);
  const bool floating = opcode.back().starts_with('f');
  if (floating && (opcode[0] == "div" || opcode[0] == "rem")) return false;
  return replace(opcode[0], operations);
}

bool change_immediate(Statement& statement) {
  for (Operand& operand : statement.operands)
    if (operand.kind == Operand::Kind::immediate && statement.opcode[0] != "shfl" && statement.opcode[0] != "bar" &&
        statement.opcode[0] != "vote") {
      operand.value += operand.literal == Type::b64 ? 1 : std::int64_t{1} << (operand.literal == Type::f32 ? 20 : 50);
      return true;
    }
  return false;
}

bool swap_sources(Statement& statement) {
  const std::string& name = statement.opcode[0];
  if (name != "sub" && name != "setp" && name != "selp" && name != "div" && name != "shl") return false;
  if (statement.operands.size() < 3) return false;
  std::swap(statement.operands[1], statement.operands[2]);
  return true;
}

bool is_barrier(const Statement& statement) {
  return statement.opcode[0] == "bar" && statement.opcode.back() == "sync" && statement.operands.size() == 1;
}

std::vector<std::vector<std::uint8_t>> copy(const std::vector<std::span<std::uint8_t>>& memory) {
  std::vector<std::vector<std::uint8_t>> result;
  for (const std::span<std::uint8_t> part : memory) result.emplace_back(part.begin(), part.end());
  return result;
}
void restore(const std::vector<std::span<std::uint8_t>>& memory, const std::vector<std::vector<std::uint8_t>>& from) {
  for (std::size_t i = 0; i < memory.size(); ++i) std::copy(from[i].begin(), from[i].end(), memory[i].begin());
}

}  // namespace

bool mutate(Statement& statement, std::mt19937_64& random) {
  const std::string before = statement.text;
  std::array<int, 4> ways{0, 1, 2, 3};
  std::shuffle(ways.begin(), ways.end(), random);
  for (const int way : ways) {
    Statement changed = statement;
    bool done = false;
    if (way == 0) done = change_operation(changed);
    if (way == 1) done = change_immediate(changed);
    if (way == 2) done = swap_sources(changed);
    if (way == 3 && !changed.guard.empty()) {
      changed.guard_negated = !changed.guard_negated;
      done = true;
    }
    if (!done) continue;
    constexpr std::array names{"operation", "immediate", "sources", "guard"};
    changed.text += std::string(" [another ") + names[static_cast<std::size_t>(way)] + "]";
    statement = std::move(changed);
    return true;
  }
  return false;
}

Mutants::Mutants(const Module& module, const Program& original, std::size_t count, std::uint64_t seed)
    : original_(original) {
  std::mt19937_64 random(seed);
  const Body body = parse_body(*module.find(original.name()));
  const auto add = [&](const Body& changed, const std::string& change, bool barrier) {
    auto program = std::make_unique<Program>(module, original.name(), changed);
    if (program->unknown().size() != original.unknown().size()) return false;
    alive_.push_back({std::move(program), change, barrier});
    return true;
  };
  for (std::size_t i = 0; i < body.statements.size(); ++i) {
    if (!is_barrier(body.statements[i])) continue;
    Body changed = body;
    changed.statements[i].opcode = {"nanosleep", "u32"};
    if (add(changed, body.statements[i].text + " [removed]", true)) ++barriers_;
  }
  for (std::size_t tries = 0; made_ < count && tries < 20 * count && !body.statements.empty(); ++tries) {
    Body changed = body;
    Statement& statement = changed.statements[random() % changed.statements.size()];
    if (mutate(statement, random) && add(changed, statement.text, false)) ++made_;
  }
}

void Mutants::try_all(const Shape& shape, std::span<const std::uint8_t> parameters, const Options& options,
                      const std::vector<std::span<std::uint8_t>>& memory) {
  if (alive_.empty()) return;
  const auto before = copy(memory);
  Counts normal;
  try {
    normal = run(original_, shape, parameters, options);
  } catch (const Fault&) {  // it uses memory that is not in `memory`
    return restore(memory, before);
  }
  const auto expected = copy(memory);
  Options limited = options;
  limited.longest_block = 4 * (normal.instructions / std::max<std::uint64_t>(1, normal.blocks)) + 100000;
  std::erase_if(alive_, [&](const Mutant& mutant) {
    restore(memory, before);
    try {
      run(*mutant.program, shape, parameters, limited);
    } catch (const Fault&) {
      return true;
    }
    for (std::size_t i = 0; i < memory.size(); ++i)
      if (!std::equal(memory[i].begin(), memory[i].end(), expected[i].begin())) return true;
    return false;
  });
  restore(memory, before);
}

std::size_t Mutants::barriers_missed() const {
  return static_cast<std::size_t>(
      std::count_if(alive_.begin(), alive_.end(), [](const Mutant& mutant) { return mutant.barrier; }));
}

std::vector<std::string> Mutants::survivors() const {
  std::vector<std::string> result;
  for (const Mutant& mutant : alive_)
    if (!mutant.barrier) result.push_back(mutant.change);
  return result;
}

}  // namespace simulated::ptx
