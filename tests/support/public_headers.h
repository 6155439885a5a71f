#pragma once

#include <filesystem>
#include <string>
#include <vector>

// What the library's headers declare, read from their text: the reference pages are generated from it.

namespace minima::test {

/// A type, function, constant or alias at namespace scope.
struct Declaration {
  enum class Kind { type, function, constant, alias };
  Kind kind = Kind::type;
  std::string name;               ///< `Linear`
  std::string text;               ///< of a function its signature: `Tensor t(const Tensor& x)`; else the first line
  std::string comment;            ///< first paragraph of the doc comment, on one line; empty if there is none
  std::vector<std::string> body;  ///< of a type: the lines between its braces, unindented
  bool is_exported = false;       ///< marked MINIMA_API
};

struct Header {
  std::string path;          ///< relative to the source tree: `nn/linear.h`
  std::string introduction;  ///< first paragraph of its first `//` comment
  std::vector<Declaration> declarations;
};

/// All declarations in some lines, except operators and what is in a namespace called `detail`. Relies on the layout of
/// our sources: a declaration at namespace scope starts in the first column.
std::vector<Declaration> read_declarations(const std::vector<std::string>& lines);

/// Every header in `folder` of the source tree, and below, that declares something; sorted by path.
std::vector<Header> read_headers(const std::filesystem::path& source_tree, const std::string& folder);

/// An aggregate's fields with their defaults: `in = 0, out = 0, bias = true`.
std::string fields_of(const Declaration& type);

/// Up to the first full stop that ends a sentence (not that of `et al. 2014`).
std::string first_sentence(const std::string& text);

/// Fit for a cell of a Markdown table.
std::string escaped(const std::string& text);

}  // namespace minima::test
