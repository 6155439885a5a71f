#include "tests/ops/all_operators/operator_table.h"

#include "tests/ops/all_operators/autocast_policy.h"
#include "tests/ops/checks/op_cases.h"
#include "tests/support/public_headers.h"

#include <minima/tensor/base/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace minima::test {

namespace {

/// Whether users call what a header of ops/ declares: functions that the library exports, in a family of operators. Its
/// machinery, and headers that call themselves internal, are for those who write operators.
bool is_public(const Header& header) {
  const std::size_t start = std::string("ops/").size(), end = header.path.find('/', start);
  if (end == std::string::npos) return false;
  const std::set<std::string> machinery{"autocast", "core", "loops"};
  if (machinery.contains(header.path.substr(start, end - start))) return false;
  if (header.introduction.find("Internal") != std::string::npos) return false;
  return std::any_of(header.declarations.begin(), header.declarations.end(), [](const Declaration& declaration) {
    return declaration.kind == Declaration::Kind::function && declaration.is_exported;
  });
}

/// What each function of a header does: the first sentence of its doc comment, of the first overload that has one.
using Summaries = std::map<std::string, std::string>;

Summaries summaries(const std::vector<Declaration>& declarations) {
  Summaries all;
  for (const Declaration& declaration : declarations)
    if (declaration.kind == Declaration::Kind::function && all[declaration.name].empty())
      all[declaration.name] = escaped(first_sentence(declaration.comment));
  return all;
}

/// The public headers that declare operators, after those of Tensor and of the settings that operators obey.
const std::vector<Header>& operator_headers() {
  static const std::vector<Header> all = [] {
    std::vector<Header> headers;
    std::vector<Header> of_tensors = read_headers(MINIMA_SOURCE_DIR, "tensor");
    for (const char* path : {"tensor/tensor.h", "tensor/settings.h"})
      for (Header& header : of_tensors)
        if (header.path == path) headers.push_back(std::move(header));
    for (Header& header : read_headers(MINIMA_SOURCE_DIR, "ops"))
      if (is_public(header)) headers.push_back(std::move(header));
    return headers;
  }();
  return all;
}

/// The function that a table of cases tests: the first that its name, which may say how it is called, names, as in
/// `add scalar`, `scalar sub` or `scatter_reduce amax`.
std::string function_of(const std::string& name) {
  static const std::set<std::string> functions = [] {
    std::set<std::string> all;
    for (const Header& header : operator_headers())
      for (const auto& [function, summary] : summaries(header.declarations)) all.insert(function);
    return all;
  }();
  std::istringstream words(name);
  for (std::string word; words >> word;)
    if (functions.contains(word)) return word;
  return "";
}

std::string dtypes_text(std::vector<DType> dtypes, bool of_parts) {
  if (of_parts)
    for (DType& dtype : dtypes) dtype = complex_dtype(dtype);
  std::sort(dtypes.begin(), dtypes.end());
  if (dtypes == all_dtypes()) return "all";
  if (dtypes == numeric_dtypes()) return "all but bool";
  if (dtypes == floating_dtypes()) return "floating";
  if (dtypes == integer_dtypes()) return "integers";
  std::string text;
  for (const DType dtype : dtypes) {
    if (!text.empty()) text += ", ";
    text += minima::name(dtype);
  }
  return text;
}

std::string result_text(const OpCases& cases) {
  std::set<DType> seen;
  bool same = true;
  for (const DType dtype : cases.dtypes()) {
    const DType result = cases.result_dtype_of(0, dtype);
    seen.insert(result);
    same &= result == dtype;
  }
  if (same) return "the input's";
  if (seen.size() == 1) return minima::name(*seen.begin());
  return seen.contains(int64) ? "floating stays, others int64" : "floating stays, others float32";
}

const char* gradient_text(const OpCases& cases) {
  if (!cases.has_gradient()) return "none";
  return cases.is_first_order_only() ? "first order" : "any order";
}

const char* layout_text(ResultLayout layout) {
  switch (layout) {
    case ResultLayout::row_major: return "row-major";
    case ResultLayout::like_input: return "the input's";
    case ResultLayout::images: return "channels_last if an input is";
    case ResultLayout::convolved: return "channels_last on the CPU, and on a GPU if an input is";
    case ResultLayout::unspecified: break;
  }
  return "";
}

/// The function that changes its argument as the calls of these cases do: `relu_`; empty if none of them has one.
std::string in_place_function(const OpCases& cases, const std::string& function, const Summaries& functions) {
  const auto& calls = cases.calls();
  if (std::none_of(calls.begin(), calls.end(), [](const OpCall& call) { return !!call.in_place; })) return "";
  return functions.contains(function + "_") ? function + "_" : function;
}

std::string row(const OpCases& cases, const std::string& function, const Summaries& functions) {
  const std::string in_place = in_place_function(cases, function, functions);
  return str("| `", cases.name(), "` | ", functions.at(function), " | ",
             dtypes_text(cases.dtypes(), cases.is_of_parts()), " | ", result_text(cases), " | ", gradient_text(cases),
             " | ", in_place.empty() ? "" : "`" + in_place + "`", " | ", autocast_policy(cases), " | ",
             layout_text(cases.result_layout()), " |\n");
}

/// The rows of operators by name, then those of functions without a table of cases.
std::string section(const Header& header) {
  const Summaries functions = summaries(header.declarations);
  std::map<std::string, std::string> rows;
  std::string others;
  std::set<std::string> seen;
  for (const OpCases& cases : all_op_cases()) {
    const std::string function = function_of(cases.name());
    if (!functions.contains(function) || (!cases.header().empty() && cases.header() != header.path)) continue;
    rows[cases.name()] = row(cases, function, functions);
    seen.insert({function, in_place_function(cases, function, functions)});
  }
  for (const auto& [name, summary] : functions)
    if (!seen.contains(name)) others += str("| `", name, "` | ", summary, " |\n");

  std::string text = str("\n## [", header.path, "](../", header.path, ")\n\n");
  if (!header.introduction.empty()) text += header.introduction + "\n\n";
  if (!rows.empty()) {
    text +=
        "| operator | what it computes | dtypes | result dtype | gradient | in place | autocast | result layout |\n";
    text += "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for (const auto& [name, cells] : rows) text += cells;
  }
  if (!others.empty()) text += str(rows.empty() ? "" : "\n", "| function | what it does |\n| --- | --- |\n", others);
  return text;
}

/// The public members of Tensor with their signatures.
std::string members(const Header& header) {
  std::string text;
  for (const Declaration& type : header.declarations) {
    if (type.name != "Tensor" || type.kind != Declaration::Kind::type) continue;
    std::vector<std::string> lines = type.body;
    lines.erase(std::find(lines.begin(), lines.end(), " private:"), lines.end());
    for (const Declaration& member : read_declarations(lines))
      if (member.kind == Declaration::Kind::function && member.name != "Tensor" && member.name != "impl")
        text += str("| `", member.text, "` | ", escaped(first_sentence(member.comment)), " |\n");
  }
  return text;
}

}  // namespace

std::string operator_table() {
  std::string text =
      "# Operators\n\n"
      "Generated from the operators' headers and their tables of cases (tests/ops), of which every row is tested; a "
      "CTest\n"
      "case fails when this page is not current and names the command that writes it. Shapes, errors and arguments are "
      "in\n"
      "the headers.\n";
  for (const Header& header : operator_headers()) {
    text += section(header);
    if (header.path == "tensor/tensor.h")
      text += "\n### Members of Tensor\n\n| member | what it does |\n| --- | --- |\n" + members(header);
  }
  return text;
}

}  // namespace minima::test
