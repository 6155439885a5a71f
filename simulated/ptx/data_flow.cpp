#include "simulated/ptx/data_flow.h"

#include <algorithm>
#include <initializer_list>
#include <set>

namespace simulated::ptx {

namespace {

bool names(const Operand& operand, const std::string& name) {
  return operand.name == name || std::any_of(operand.parts.begin(), operand.parts.end(),
                                             [&](const Operand& part) { return names(part, name); });
}

/// The statements to which control went from one.
std::vector<std::size_t> successors(const Body& body, std::size_t at, const Paths& paths) {
  const Statement& statement = body.statements[at];
  std::vector<std::size_t> result;
  if (!statement.guard.empty() || !is_one_of(statement.opcode[0], {"bra", "brx", "ret", "exit", "trap"}))
    result.push_back(at + 1);
  if (statement.opcode[0] == "bra" && paths.taken[at]) {
    const auto target = body.labels.find(statement.operands[0].name);
    if (target != body.labels.end()) result.push_back(target->second);
  } else if (statement.opcode[0] == "brx") {
    for (const auto& [name, target] : body.labels) result.push_back(target);
  }
  return result;
}

/// Adds the registers and special registers of an operand.
void add_registers(const Operand& operand, std::set<std::string>& registers) {
  if (operand.name.starts_with('%')) registers.insert(operand.name);
  for (const Operand& part : operand.parts) add_registers(part, registers);
}

bool has_result(const Statement& statement) {
  return !statement.operands.empty() && !is_one_of(statement.opcode[0], {"st", "red", "bra", "brx", "bar", "ret"});
}

std::set<std::string> results_of(const Statement& statement) {
  std::set<std::string> results;
  if (has_result(statement)) add_registers(statement.operands[0], results);
  return results;
}

std::set<std::string> sources_of(const Statement& statement) {
  std::set<std::string> sources;
  for (std::size_t i = has_result(statement) ? 1 : 0; i < statement.operands.size(); ++i)
    add_registers(statement.operands[i], sources);
  if (!statement.guard.empty()) sources.insert(statement.guard);
  return sources;
}

bool accesses(const Statement& statement, const char* operation, const char* space) {
  return statement.opcode[0] == operation && statement.opcode.size() > 1 && statement.opcode[1] == space;
}

/// Whether what the statement reads comes from global memory and constants only.
bool has_numbers_only(const Body& body, std::size_t at) {
  std::set<std::string> seen;
  std::vector<std::size_t> places{at};
  const auto writes_any = [](const Statement& statement, const std::set<std::string>& registers) {
    const std::set<std::string> results = results_of(statement);
    return std::any_of(results.begin(), results.end(), [&](const auto& name) { return registers.contains(name); });
  };
  for (std::size_t next = 0; next < places.size(); ++next) {
    const Statement& statement = body.statements[places[next]];
    if (accesses(statement, "ld", "global")) continue;
    if (accesses(statement, "ld", "param") || accesses(statement, "ld", "shared") ||
        is_one_of(statement.opcode[0], {"atom", "shfl", "vote", "call"}))
      return false;
    std::set<std::string> sources = sources_of(statement);
    for (const std::string& name : seen) sources.erase(name);
    for (const std::string& name : sources)
      if (!body.find_register(name)) return false;  // %tid.x
    seen.insert(sources.begin(), sources.end());
    const bool local = accesses(statement, "ld", "local") || accesses(statement, "st", "local");
    for (std::size_t i = 0; i < body.statements.size(); ++i) {
      const bool needed =
          writes_any(body.statements[i], sources) || (local && accesses(body.statements[i], "st", "local"));
      if (needed && std::find(places.begin(), places.end(), i) == places.end()) places.push_back(i);
    }
  }
  return true;
}

/// Whether the address of a store to global memory depends on what the statement computes.
bool moves_results(const Body& body, std::size_t at) {
  std::set<std::string> registers = results_of(body.statements[at]);
  for (std::size_t before = 0; before != registers.size();) {
    before = registers.size();
    for (const Statement& statement : body.statements) {
      const auto is_one = [&](const std::string& name) { return registers.contains(name); };
      const std::set<std::string> sources = sources_of(statement);
      if (accesses(statement, "st", "global")) {
        std::set<std::string> address;
        add_registers(statement.operands[0], address);
        if (std::any_of(address.begin(), address.end(), is_one)) return true;
      }
      if (std::any_of(sources.begin(), sources.end(), is_one)) registers.merge(results_of(statement));
    }
  }
  return false;
}

}  // namespace

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* other) { return word == other; });
}

bool is_same(const Operand& a, const Operand& b) { return a.kind == b.kind && a.name == b.name && a.value == b.value; }

bool names(const Statement& statement, const std::string& name) {
  return statement.guard == name || std::any_of(statement.operands.begin(), statement.operands.end(),
                                                [&](const Operand& operand) { return names(operand, name); });
}

std::string result_of(const Statement& statement) {
  if (is_one_of(statement.opcode[0], {"st", "red", "bra", "brx", "bar", "atom", "call", "ret", "exit", "shfl", "vote"}))
    return {};
  if (statement.operands.empty() || statement.operands[0].kind != Operand::Kind::reg) return {};
  return statement.operands[0].name;
}

bool reads(const Statement& statement, const std::string& name) {
  const bool writes = result_of(statement) == name;
  for (std::size_t i = writes ? 1 : 0; i < statement.operands.size(); ++i)
    if (names(statement.operands[i], name)) return true;
  return statement.guard == name;
}

bool is_read(const Body& body, std::size_t at, const Paths& paths) {
  const std::vector<Statement>& statements = body.statements;
  std::vector<std::size_t> definitions{at};
  if (result_of(statements[at]).empty()) return true;
  for (std::size_t next = 0; next < definitions.size(); ++next) {
    const std::string result = result_of(statements[definitions[next]]);
    std::vector<bool> seen(statements.size() + 1);
    std::vector<std::size_t> places = successors(body, definitions[next], paths);
    while (!places.empty()) {
      const std::size_t i = places.back();
      places.pop_back();
      if (i >= statements.size() || seen[i] || !paths.ran[i]) continue;
      seen[i] = true;
      const std::string other = result_of(statements[i]);
      if (reads(statements[i], result)) {
        if (other.empty()) return true;
        if (std::find(definitions.begin(), definitions.end(), i) == definitions.end()) definitions.push_back(i);
      }
      if (other == result && statements[i].guard.empty()) continue;  // from here on it is another value
      const std::vector<std::size_t> following = successors(body, i, paths);
      places.insert(places.end(), following.begin(), following.end());
    }
  }
  return false;
}

bool computes_with_numbers(const Body& body, std::size_t at) {
  const auto loads = [](const Statement& statement) { return accesses(statement, "ld", "global"); };
  const auto begin = body.statements.begin();
  return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(at), loads) && has_numbers_only(body, at) &&
         !moves_results(body, at);
}

}  // namespace simulated::ptx
