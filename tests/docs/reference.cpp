#include "tests/docs/reference.h"

#include "tests/support/public_headers.h"

#include <algorithm>
#include <map>
#include <regex>

namespace minima::test {

namespace {

using Kind = Declaration::Kind;
using Types = std::map<std::string, Declaration>;

/// What is called Options is listed with the type that takes it; a template such as AdamOf with its aliases.
bool has_row(const Declaration& declaration) {
  return declaration.name.find("Options") == std::string::npos &&
         !declaration.text.starts_with("class MINIMA_API AdamOf");
}

std::vector<Header> headers_of(const ReferencePage& page) {
  std::vector<Header> headers = read_headers(MINIMA_SOURCE_DIR, page.folder);
  std::erase_if(headers, [&](Header& header) {
    std::erase_if(header.declarations, [](const Declaration& declaration) { return !has_row(declaration); });
    const std::string name = header.path.substr(header.path.rfind('/') + 1);
    return header.declarations.empty() || std::count(page.internal.begin(), page.internal.end(), name) > 0;
  });
  return headers;
}

/// All types of the library, in which options and the targets of aliases are looked up.
const Types& all_types() {
  static const Types types = [] {
    Types found;
    for (const char* folder : {"tensor", "autograd", "ops", "nn", "optim", "data"})
      for (const Header& header : read_headers(MINIMA_SOURCE_DIR, folder))
        for (const Declaration& declaration : header.declarations)
          if (declaration.kind == Kind::type) found.emplace(declaration.name, declaration);
    return found;
  }();
  return types;
}

/// The first name in the text that the pattern finds and that is a type of the library; null if there is none.
const Declaration* type_in(const std::string& text, const char* pattern) {
  const std::regex name(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), name), end; match != end; ++match)
    if (const auto type = all_types().find((*match)[1]); type != all_types().end()) return &type->second;
  return nullptr;
}

/// An alias with the comment and the body of what it names.
Declaration resolved(Declaration declaration) {
  if (declaration.kind != Kind::alias) return declaration;
  const Declaration* target = type_in(declaration.text, R"((\w+))");
  if (!target) return declaration;
  if (declaration.comment.empty()) declaration.comment = target->comment;
  declaration.body = target->body;
  return declaration;
}

std::string options_text(const Declaration& type) {
  if (type.text.starts_with("enum")) return "";
  std::string body;
  for (const std::string& line : type.body) body += line + "\n";
  const Declaration* options = type_in(body, R"((\w*Options\w*))");
  const std::string fields = options ? fields_of(*options) : type.text.starts_with("struct") ? fields_of(type) : "";
  return fields.empty() ? "" : "`" + fields + "`";
}

std::string row(const Declaration& declaration) {
  const std::string& shown = declaration.kind == Kind::function ? declaration.text : declaration.name;
  return "| `" + escaped(shown) + "` | " + escaped(options_text(declaration)) + " | " + escaped(declaration.comment) +
         " |\n";
}

/// Another overload, which the comment above it documents too.
bool is_overload(const Declaration& declaration, const std::vector<Declaration>& all) {
  const auto documented = [&](const Declaration& other) {
    return other.name == declaration.name && !other.comment.empty();
  };
  return declaration.comment.empty() && std::any_of(all.begin(), all.end(), documented);
}

}  // namespace

const std::vector<ReferencePage>& reference_pages() {
  static const std::vector<ReferencePage> pages{
      {"layers.md",
       "# Layers, losses and initialisers",
       "Everything in `nn/`, namespace `minima::nn`; `<minima/minima.h>` includes it. Losses and activations also exist as\n"
       "functions: see [operators.md](operators.md).",
       "nn",
       {}},
      {"transforms.md",
       "# Datasets, samplers and transforms",
       "Everything in `data/`, namespace `minima::data`. [data.md](data.md) explains how the parts fit together.",
       "data",
       {"counted.h", "loader_impl.h", "loader_job.h", "pipeline.h", "trace.h", "uploader.h"}},
      {"optimizers.md",
       "## Reference",
       "Everything in `optim/`, namespace `minima::optim`.",
       "optim",
       {"grouped_impl.h", "setting.h", "rules.h", "moment_rules.h", "scale_rules.h", "average_rules.h"}},
  };
  return pages;
}

std::string text_of(const ReferencePage& page) {
  std::string text = page.title + "\n\n" + page.about + "\n" +
                     "Generated from the headers' doc comments; a test fails when it is not current and names the command "
                     "that\nwrites it. Options are fields of an aggregate, here with their defaults.\n";
  const std::string heading = page.title.starts_with("## ") ? "### " : "## ";
  for (const Header& header : headers_of(page)) {
    text += "\n" + heading + "[" + header.path + "](../" + header.path + ")\n\n";
    if (!header.introduction.empty()) text += header.introduction + "\n\n";
    text += "| name | options | what it does |\n| --- | --- | --- |\n";
    for (const Declaration& declaration : header.declarations)
      if (!is_overload(declaration, header.declarations)) text += row(resolved(declaration));
  }
  return text;
}

std::vector<std::string> undocumented(const ReferencePage& page) {
  std::vector<std::string> names;
  for (const Header& header : headers_of(page))
    for (const Declaration& declaration : header.declarations)
      if (resolved(declaration).comment.empty() && !is_overload(declaration, header.declarations))
        names.push_back(header.path + ": " + declaration.name);
  return names;
}

}  // namespace minima::test
