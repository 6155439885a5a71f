#include "tests/support/public_headers.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>
#include <utility>

namespace minima::test {

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string without(const std::string& text, const char* pattern) {
  return std::regex_replace(text, std::regex(pattern), "");
}

std::string unindented(const std::string& line) { return line.starts_with("  ") ? line.substr(2) : line; }

/// The position after the bracket that closes the one at `at`.
std::size_t after_brackets(const std::string& text, std::size_t at) {
  const char open = text[at], close = open == '<' ? '>' : open == '(' ? ')' : '}';
  for (int depth = 0; at < text.size(); ++at) {
    depth += text[at] == open ? 1 : text[at] == close ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return at;
}

/// Without `template <…>` and `requires …` at its beginning.
std::string without_template(const std::string& line) {
  static const std::regex head(R"(^(template(?= ?<)|(&&|\|\|)? ?requires\b|&&|\|\|) *)"), name(R"(^!?[\w:]+)");
  std::string text = line;
  std::smatch found;
  while (std::regex_search(text, found, head)) {
    const bool is_template = found[1] == "template";
    text = found.suffix();
    if (!is_template && text.starts_with("requires ")) text.erase(0, 9);
    if (std::regex_search(text, found, name)) text = found.suffix();
    if (!text.empty() && std::string("<({").find(text[0]) != std::string::npos) text.erase(0, after_brackets(text, 0));
    text = trimmed(text);
  }
  return text;
}

/// The lines of a comment as one, up to the first that is empty or indented: examples and formulas are left out.
class Paragraph {
 public:
  void add(const std::string& line) {
    if (trimmed(line).empty() || line.starts_with("  ")) is_over_ = true;
    if (is_over_) return;
    if (!text_.empty()) text_ += ' ';
    text_ += trimmed(line);
  }
  std::string take() {
    is_over_ = false;
    std::string text = std::exchange(text_, "");
    if (text.ends_with(':')) text.back() = '.';
    return text;
  }

 private:
  std::string text_;
  bool is_over_ = false;
};

/// `Tensor t(const Tensor& x) const` of a function's declaration or definition; `open` is where its parameters begin.
std::string signature(const std::string& text, std::size_t open) {
  int depth = 0;
  std::size_t end = open;
  do {
    depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
  } while (++end < text.size() && depth > 0);
  const bool is_const = text.compare(end, 6, " const") == 0;
  return without(text.substr(0, end), R"(MINIMA_API |\b(inline|virtual|explicit|static|constexpr) |\[\[\w+\]\] )") +
         (is_const ? " const" : "");
}

/// From the text of one up to `{` or `;`. The name is empty for what is no declaration of interest.
Declaration parse(const std::string& text) {
  static const std::regex type(
      R"(^(?:class|struct|enum class|enum) (?:alignas\(\d+\) )?(?:MINIMA_API )?(\w+)(?= final|[ ]?[:{] | \{$))");
  static const std::regex alias(R"(^using (\w+) =)");
  static const std::regex constant(R"(^inline constexpr [\w:<>]+ (\w+)(?=\[| =))");
  static const std::regex function(R"(^(?:\[\[\w+\]\] )?(?:[\w:]+(?:<[^()]*>)?[\w:]*[&*]* )+(\w+)\()");
  static const std::regex other(R"(^(?:extern|friend|return|static_assert)\b|\boperator\b)");
  std::smatch found;
  using Kind = Declaration::Kind;
  if (std::regex_search(text, other)) return {};
  if (std::regex_search(text, found, type)) return {Kind::type, found[1], text, {}, {}};
  if (std::regex_search(text, found, alias)) return {Kind::alias, found[1], text, {}, {}};
  if (std::regex_search(text, found, constant)) return {Kind::constant, found[1], text, {}, {}};
  if (!std::regex_search(text, found, function)) return {};
  return {Kind::function, found[1], signature(text, static_cast<std::size_t>(found.length()) - 1), {}, {}};
}

Header read_header(const fs::path& file, const fs::path& root) {
  std::ifstream in(file);
  Lines lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const auto is_note = [](const std::string& line) { return line == "//" || line.starts_with("// "); };
  Paragraph introduction;
  for (auto line = std::find_if(lines.begin(), lines.end(), is_note); line != lines.end() && is_note(*line); ++line)
    introduction.add(line->substr(std::min<std::size_t>(line->size(), 3)));
  std::string text = introduction.take();
  if (!text.ends_with('.')) text.clear();  // a sentence that continues in code
  return {fs::relative(file, root).generic_string(), text, read_declarations(lines)};
}

}  // namespace

std::vector<Declaration> read_declarations(const Lines& lines) {
  std::vector<Declaration> declarations;
  Paragraph comment;
  int hidden = 0;  // namespaces from the first `detail` on
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string line = without_template(lines[i]);
    if (line.starts_with("///")) {
      comment.add(line.substr(std::min<std::size_t>(line.size(), 4)));
      continue;
    }
    if (line != lines[i] && line.empty()) continue;  // `template <…>` on a separate line
    if (line.starts_with(' ')) continue;
    if (line.starts_with("namespace ") && line.ends_with('{')) {
      if (hidden > 0 || line.find("detail") != std::string::npos) ++hidden;
    } else if (line.starts_with('}')) {
      hidden = std::max(hidden - 1, 0);
    } else if (!line.empty() && (std::isalpha(static_cast<unsigned char>(line[0])) || line[0] == '[')) {
      std::string text = trimmed(without(line, " //.*"));
      while (!text.ends_with(';') && !text.ends_with('{') && !text.ends_with('}') && i + 1 < lines.size())
        text += " " + trimmed(without(lines[++i], " //.*"));
      Declaration declaration = parse(text);
      declaration.comment = comment.take();
      declaration.is_exported = text.find("MINIMA_API ") != std::string::npos;
      if (text.ends_with('{'))
        while (i + 1 < lines.size() && !lines[++i].starts_with('}')) declaration.body.push_back(unindented(lines[i]));
      if (hidden == 0 && !declaration.name.empty()) declarations.push_back(std::move(declaration));
    }
    comment.take();
  }
  return declarations;
}

std::vector<Header> read_headers(const fs::path& source_tree, const std::string& folder) {
  std::vector<Header> headers;
  for (const auto& entry : fs::recursive_directory_iterator(source_tree / folder))
    if (entry.path().extension() == ".h") headers.push_back(read_header(entry.path(), source_tree));
  std::erase_if(headers, [](const Header& header) { return header.declarations.empty(); });
  std::sort(headers.begin(), headers.end(), [](const Header& a, const Header& b) { return a.path < b.path; });
  return headers;
}

std::string fields_of(const Declaration& type) {
  static const std::regex field(
      R"(^(?!using |static |template )(?:[\w:]+(?:<[^;=]*>)?[&*]? )+?(\w+(?: =|,|;|\[|\{).*))");
  std::string fields;
  for (const std::string& line : type.body) {
    const std::string text = without(without(line, " *//.*"), R"(^ .*| = \{\}|\{\}(?=;)|preset(?=\())");
    std::smatch found;
    if (text.find(") const") != std::string::npos || !std::regex_search(text, found, field)) continue;
    fields += (fields.empty() ? "" : ", ") +
              std::regex_replace(without(found[1], ";.*"), std::regex(R"(= \((.*?)\)(?=,|$))"), "= $1");
  }
  return fields;
}

std::string first_sentence(const std::string& text) {
  for (std::size_t i = text.find('.'); i != std::string::npos; i = text.find('.', i + 1)) {
    const bool ends = i + 1 == text.size() || text[i + 1] == ' ';
    if (ends && !(i + 2 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 2]))))
      return text.substr(0, i);
  }
  return text;
}

std::string escaped(const std::string& text) { return std::regex_replace(text, std::regex(R"(\|)"), R"(\|)"); }

}  // namespace minima::test
