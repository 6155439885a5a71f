#include "tests/ops/all_operators/operator_table.h"

#include "tests/ops/all_operators/autocast_policy.h"
#include "tests/ops/checks/op_cases.h"

#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace minima::test {

namespace {

namespace fs = std::filesystem;

/// What a public header of an operator says.
struct Header {
  std::string path;                            ///< ops/softmax/softmax.h
  std::string introduction;                    ///< its first comment
  std::map<std::string, std::string> summary;  ///< of each function it declares; empty where none is written
};

std::string after(const std::string& line, const std::string& mark) {
  const std::size_t text = line.find_first_not_of(' ', mark.size());
  return text == std::string::npos ? "" : line.substr(text);
}

void append(std::string& text, const std::string& line) {
  if (!text.empty()) text += ' ';
  text += line;
}

/// Up to the first full stop that ends a sentence (and not `et al. 2014`), fit for a cell of a table.
std::string first_sentence(const std::string& text) {
  std::string sentence;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends = text[i] == '.' && (i + 1 == text.size() || text[i + 1] == ' ');
    if (ends && !(i + 2 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 2])))) break;
    if (text[i] == '|') sentence += '\\';
    sentence += text[i];
  }
  return sentence;
}

/// The function that a line declares: the name before the first parenthesis of `MINIMA_API … name(`.
std::string declared(const std::string& line) {
  if (line.rfind("MINIMA_API ", 0) != 0) return "";
  const std::size_t end = line.find('(');
  if (end == std::string::npos) return "";
  return line.substr(line.rfind(' ', end) + 1, end - line.rfind(' ', end) - 1);
}

Header read_header(const fs::path& file, const fs::path& root) {
  Header header{fs::relative(file, root).string(), "", {}};
  std::ifstream in(file);
  std::string comment;
  bool introduced = false, in_comment = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("///", 0) == 0) {
      if (!in_comment) comment.clear();
      in_comment = true;
      append(comment, after(line, "///"));
      continue;
    }
    if (line.rfind("// ", 0) == 0 && !introduced) {
      append(header.introduction, after(line, "//"));
    } else if (!header.introduction.empty()) {
      introduced = true;
    }
    const std::string name = declared(line);
    if (!name.empty() && header.summary[name].empty()) header.summary[name] = in_comment ? first_sentence(comment) : "";
    in_comment = false;
  }
  return header;
}

std::vector<Header> read_headers() {
  const fs::path root = MINIMA_SOURCE_DIR;
  std::vector<Header> headers;
  for (const auto& entry : fs::recursive_directory_iterator(root / "ops"))
    if (entry.path().extension() == ".h") headers.push_back(read_header(entry.path(), root));
  std::erase_if(headers, [](const Header& header) { return header.summary.empty(); });
  std::sort(headers.begin(), headers.end(), [](const Header& a, const Header& b) { return a.path < b.path; });
  return headers;
}

/// The function behind a table's name, which may say how it is called: `add scalar`, `scalar sub`.
std::string function_of(const std::string& name, const Header& header) {
  std::istringstream words(name);
  for (std::string word; words >> word;)
    if (header.summary.contains(word)) return word;
  return "";
}

std::string dtypes_text(std::vector<DType> dtypes) {
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
    case ResultLayout::unspecified: break;
  }
  return "";
}

std::string row(const OpCases& cases, const std::string& summary) {
  const auto& calls = cases.calls();
  const bool in_place = std::any_of(calls.begin(), calls.end(), [](const OpCall& call) { return !!call.in_place; });
  return str("| `", cases.name(), "` | ", summary, " | ", dtypes_text(cases.dtypes()), " | ", result_text(cases), " | ",
             gradient_text(cases), " | ", in_place ? "yes" : "", " | ", autocast_policy(cases), " | ",
             layout_text(cases.result_layout()), " |\n");
}

}  // namespace

std::string operator_table() {
  std::string text =
      "# Operators\n\n"
      "Made from the operators' headers and their tables of cases (tests/ops), each row of which is tested; a CTest "
      "case\n"
      "fails when this page is not current and names the command that writes it.\n";
  for (const Header& header : read_headers()) {
    std::map<std::string, const OpCases*> tables;
    for (const OpCases& cases : all_op_cases())
      if (!function_of(cases.name(), header).empty()) tables[cases.name()] = &cases;
    if (tables.empty()) continue;
    text += str("\n## [", header.path, "](../", header.path, ")\n\n");
    if (!header.introduction.empty()) text += header.introduction + "\n\n";
    text += "| operator | what | dtypes | result | gradient | in place | autocast | layout of the result |\n";
    text += "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for (const auto& [name, cases] : tables) text += row(*cases, header.summary.at(function_of(name, header)));
  }
  return text;
}

}  // namespace minima::test
