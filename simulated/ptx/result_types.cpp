#include "simulated/ptx/result_types.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simulated::ptx {

namespace {

/// The registers with the dtype of a loop's result, and the dtypes that it may be, by their numbers (DType in
/// tensor/base/dtype.h).
struct ResultType {
  std::set<std::string> registers;
  std::vector<std::int64_t> dtypes;
};

/// "F", "float", "float" of "void minima::pointwise::strided_loop_kernel<F, float, float>(…)".
std::vector<std::string> template_arguments(const std::string& signature) {
  std::vector<std::string> result(1);
  int depth = 0;
  for (std::size_t i = signature.find('<') + 1; i > 0 && i < signature.size(); ++i) {
    const char c = signature[i];
    if (c == '<' || c == '(') ++depth;
    if ((c == '>' || c == ')') && depth-- == 0) break;
    if (c == ',' && depth == 0) result.emplace_back();
    else if (c != ' ' || !result.back().empty()) result.back() += c;
  }
  return result;
}

std::vector<std::int64_t> dtypes_of_results(const std::string& type) {
  static const std::map<std::string_view, std::vector<std::int64_t>> dtypes = {
      {"bool", {0}}, {"unsigned char", {1}},  {"signed char", {2}},    {"int", {3}},
      {"long", {4}}, {"float", {5, 6, 7, 8}}, {"double", {5, 6, 7, 8}}};
  const auto found = dtypes.find(type);
  return found == dtypes.end() ? std::vector<std::int64_t>() : found->second;
}

std::optional<ResultType> find_result_type(const Body& body) {
  ResultType result;
  for (const Statement& statement : body.statements) {
    const std::vector<std::string>& opcode = statement.opcode;
    if (opcode[0] != "ld" || opcode[1] != "param" || opcode.back() != "u8") continue;
    const Operand& from = statement.operands[1];
    const std::string memory = "_param_2";
    if (!from.name.ends_with(memory) || from.name.find("strided_loop_kernel") == std::string::npos) continue;
    const std::string symbol = from.name.substr(0, from.name.size() - memory.size());
    const std::unique_ptr<char, decltype(&std::free)> plain(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr), std::free);
    if (!plain) return std::nullopt;
    const std::vector<std::string> arguments = template_arguments(plain.get());  // F, Out, In…
    if (arguments.size() < 2) return std::nullopt;
    result.dtypes = dtypes_of_results(arguments[1]);
    // Memory: the addresses of all operands, then their dtypes.
    if (from.value != static_cast<std::int64_t>(8 * (arguments.size() - 1))) continue;
    const Operand& to = statement.operands[0];
    result.registers.insert(to.parts.empty() ? to.name : to.parts[0].name);
  }
  if (result.registers.empty() || result.dtypes.empty()) return std::nullopt;
  return result;
}

/// The outcome of a comparison of the dtype with a number; none if the statement is no such thing.
std::optional<bool> outcome(const Statement& statement, const ResultType& result, std::int64_t dtype) {
  if (statement.opcode[0] != "setp" || statement.opcode.size() != 3 || statement.operands.size() != 3 ||
      !statement.guard.empty())
    return std::nullopt;
  const auto value = [&](const Operand& operand) -> std::optional<std::int64_t> {
    if (operand.kind == Operand::Kind::immediate) return operand.value;
    if (operand.kind == Operand::Kind::reg && result.registers.contains(operand.name)) return dtype;
    return std::nullopt;
  };
  const auto a = value(statement.operands[1]), b = value(statement.operands[2]);
  if (!a || !b) return std::nullopt;
  const std::string& how = statement.opcode[1];
  if (how == "eq") return *a == *b;
  if (how == "ne") return *a != *b;
  if (how == "lt") return *a < *b;
  if (how == "le") return *a <= *b;
  if (how == "gt") return *a > *b;
  if (how == "ge") return *a >= *b;
  return std::nullopt;
}

bool writes(const Statement& statement, const std::string& name) {
  if (statement.operands.empty()) return false;
  const Operand& to = statement.operands[0];
  return to.name == name ||
         std::any_of(to.parts.begin(), to.parts.end(), [&](const Operand& part) { return part.name == name; });
}

/// The statements that control may come to if the result has this dtype.
std::vector<bool> reached(const Body& body, const ResultType& result, std::int64_t dtype) {
  const std::vector<Statement>& statements = body.statements;
  // Predicates that are written once, by a comparison of the dtype.
  std::map<std::string, bool> known;
  for (const Statement& statement : statements)
    if (const auto is = outcome(statement, result, dtype)) {
      const std::string& name = statement.operands[0].name;
      if (std::count_if(statements.begin(), statements.end(),
                        [&](const Statement& other) { return writes(other, name); }) == 1)
        known[name] = *is;
    }
  std::vector<bool> found(statements.size());
  std::vector<std::size_t> next{0};
  while (!next.empty()) {
    const std::size_t at = next.back();
    next.pop_back();
    if (at >= statements.size() || found[at]) continue;
    found[at] = true;
    const Statement& statement = statements[at];
    const std::string& operation = statement.opcode[0];
    bool jumps = true, goes_on = true;
    if (!statement.guard.empty()) {
      if (const auto is = known.find(statement.guard); is != known.end()) {
        jumps = is->second != statement.guard_negated;
        goes_on = !jumps;
      }
    } else {
      goes_on = operation != "bra" && operation != "brx" && operation != "ret" && operation != "exit";
    }
    if (operation == "bra") {
      const auto target = body.labels.find(statement.operands[0].name);
      if (jumps && target != body.labels.end()) next.push_back(target->second);
      if (goes_on) next.push_back(at + 1);
    } else if (operation == "brx") {
      return std::vector<bool>(statements.size(), true);  // could be anywhere
    } else if (goes_on || !statement.guard.empty()) {
      next.push_back(at + 1);
    }
  }
  return found;
}

}  // namespace

bool is_for_other_results(const Body& body, std::size_t at, const Statement& mutant) {
  const std::optional<ResultType> result = find_result_type(body);
  return result && std::all_of(result->dtypes.begin(), result->dtypes.end(), [&](std::int64_t dtype) {
           if (!reached(body, *result, dtype)[at]) return true;
           const auto was = outcome(body.statements[at], *result, dtype), is = outcome(mutant, *result, dtype);
           return was && is && *was == *is;
         });
}

}  // namespace simulated::ptx
