#include "tests/structure/include_graph.h"
#include "tests/support/public_headers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

// The guide ends with the public headers that minima.h does not include. It is generated from the headers.

namespace minima::test::separate_headers_test {
namespace {

const std::filesystem::path root = MINIMA_SOURCE_DIR;

const std::string title = "## Headers that minima.h does not include\n";

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// `fft, ifft, rfft and 19 more`
std::string names_of(const Header& header) {
  std::vector<std::string> names;
  for (const Declaration& declaration : header.declarations)
    if (names.empty() || names.back() != declaration.name) names.push_back(declaration.name);
  constexpr std::size_t shown = 6;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < shown; ++i) text += (i > 0 ? ", `" : "`") + names[i] + "`";
  return names.size() <= shown ? text : text + " and " + std::to_string(names.size() - shown) + " more";
}

/// Whether users call what it declares.
bool is_public(const Header& header) {
  return !header.declarations.empty() && read(root / header.path).find("MINIMA_API") != std::string::npos &&
         header.introduction.find("Internal") == std::string::npos;
}

std::string generated() {
  const std::vector<std::string> included = structure::reachable_headers(root, "minima.h");
  const std::set<std::string> reached(included.begin(), included.end());
  std::string text = title +
                     "\nGenerated; a test fails when it is not current. `ops/` has a section for each of them in "
                     "[operators.md](operators.md).\n";
  for (const std::string& layer : structure::layers()) {
    std::map<std::string, std::string> rows;
    for (const Header& header : read_headers(root, layer))
      if (!reached.contains(header.path) && is_public(header))
        rows[header.path] = "| [" + header.path + "](../" + header.path + ") | " + names_of(header) + " |\n";
    if (rows.empty()) continue;
    text += "\n### Headers of " + layer + "/\n\n| header | declares |\n| --- | --- |\n";
    for (const auto& [path, row] : rows) text += row;
  }
  return text;
}

TEST(Guide, ListsTheHeadersThatMinimaHeaderDoesNotInclude) {
  const std::filesystem::path path = root / "docs/guide.md";
  const std::string page = read(path), wanted = page.substr(0, page.find(title)) + generated();
  if (std::getenv("MINIMA_WRITE_DOCS")) std::ofstream(path) << wanted;
  EXPECT_TRUE(read(path) == wanted) << "docs/guide.md differs from the headers; write it with\n"
                                    << "MINIMA_WRITE_DOCS=1 ctest --test-dir build/cpu -R Guide";
}

}  // namespace
}  // namespace minima::test::separate_headers_test
