#include "tests/support/public_headers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

// README.md and docs/ copy this from elsewhere; it is compared with where it is from.

namespace minima::test::figures_test {
namespace {

const std::filesystem::path root = MINIMA_SOURCE_DIR;

std::string read(const std::string& path) {
  std::ifstream in(root / path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// What the first group of the pattern is, at each place where it is found.
std::vector<std::string> all(const std::string& text, const char* pattern) {
  const std::regex wanted(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), wanted), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

/// The text from a line on, to the next heading.
std::string section(const std::string& text, const std::string& first_line) {
  const std::size_t start = text.find("\n" + first_line);
  return start == std::string::npos ? "" : text.substr(start, text.find("\n#", start + 2) - start);
}

/// How many classes in optim/ the pattern finds.
std::size_t optimizers(const char* pattern) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "optim"))
    if (entry.path().extension() == ".h")
      count += all(read(std::filesystem::relative(entry.path(), root).string()), pattern).size();
  return count;
}

/// The figures of a row in the tables of docs/benchmarks.md: `| 185 (184) | 234 (229) | 234 (232) | **1.26** |`.
std::string figures_of(const std::string& benchmarks, const std::string& row) {
  const std::size_t start = benchmarks.find("\n| " + row + " |");
  if (start == std::string::npos) return "| no such row |";
  const std::size_t end = benchmarks.find('\n', start + 1), cells = benchmarks.find('|', start + 3);
  return benchmarks.substr(cells, end - cells);
}

/// Writes the README's rows of networks as they are in the benchmarks.
std::string with_speeds(std::string readme, const std::string& benchmarks) {
  const std::size_t table = readme.find("\n| float32, ms |");
  EXPECT_NE(table, std::string::npos);
  for (const std::string& label : all(section(readme, "| float32, ms |"), R"(\n\| ([^|\n-][^|\n]*) \| [\d.]+ )")) {
    const std::size_t first = readme.find("\n| " + label + " ", table) + label.size() + 4,
                      last = readme.find('\n', first);
    readme.replace(first, last - first, figures_of(benchmarks, label));
  }
  return readme;
}

TEST(Figures, SpeedsInTheReadmeAreThoseOfTheBenchmarks) {
  const std::string benchmarks = read("docs/benchmarks.md"), wanted = with_speeds(read("README.md"), benchmarks);
  if (std::getenv("MINIMA_WRITE_DOCS")) std::ofstream(root / "README.md") << wanted;
  const std::string readme = read("README.md");
  EXPECT_EQ(readme, wanted) << "write it with MINIMA_WRITE_DOCS=1 ctest --test-dir build/cpu -R Figures";
  EXPECT_EQ(all(section(readme, "| float32, ms |"), R"(\n(\|[^|\n]*\| [\d.]+ ))").size(), 10u);
  const std::vector<std::string> mean = all(readme, R"(165 of its CPU operators run (\*\*[\d.]+\*\*) times)");
  ASSERT_EQ(mean.size(), 1u);
  EXPECT_NE(benchmarks.find("geometric mean of 165 rows " + mean[0]), std::string::npos) << mean[0];
}

TEST(Figures, OptimizersInOnePassAreCounted) {
  const std::size_t elementwise = optimizers(R"(final : public (ElementwiseOptimizer)<)"),
                    others = optimizers(R"(final : public (Grouped)<)");
  EXPECT_NE(read("README.md")
                .find("[" + std::to_string(elementwise) + " of " + std::to_string(elementwise + others) +
                      "](docs/optimizers.md)"),
            std::string::npos)
      << elementwise << " and " << others;
}

TEST(Figures, InstalledProgramsAreListed) {
  std::string cmake = read("cmake/install.cmake") + read("simulated/dryrun/CMakeLists.txt");
  for (const auto& entry : std::filesystem::directory_iterator(root / "tools"))
    cmake += read("tools/" + entry.path().filename().string() + "/CMakeLists.txt");
  std::vector<std::string> programs = all(cmake, R"(minima_install_program\(([\w-]+)\))");
  for (const std::string& script : all(cmake, R"(RENAME (minima-\w+))")) programs.push_back(script);
  EXPECT_GE(programs.size(), 7u);
  const std::string page = section(read("docs/installing.md"), "## What is installed");
  for (const std::string& program : programs)
    EXPECT_NE(page.find("`bin/" + program + "`"), std::string::npos) << program;
}

TEST(Figures, NamesOfOptionsAreThoseOfTheHeaders) {
  std::string fields;
  for (const char* folder : {"nn", "data"})
    for (const Header& header : read_headers(root, folder))
      for (const Declaration& declaration : header.declarations) fields += fields_of(declaration) + ", ";
  const std::string page = section(read("docs/from-libtorch.md"), "### Names of options");
  std::size_t names = 0;
  for (const std::string& cell : all(page, R"(\n\|[^|]*`[^|]*\|([^|]*)\|)"))
    for (const std::string& name : all(cell, R"(`(\w+)(?: = true)?`)")) {
      ++names;
      EXPECT_TRUE(std::regex_search(fields, std::regex("\\b" + name + "\\b"))) << name;
    }
  EXPECT_GE(names, 15u);
}

/// In every page but those that list other projects' files.
TEST(Figures, SourceFilesThatPagesNameExist) {
  std::set<std::string> files;
  for (const auto& folder : std::filesystem::directory_iterator(root)) {
    const std::string name = folder.path().filename().string();
    if (!folder.is_directory() || name.starts_with(".") || name.starts_with("build")) continue;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
      files.insert(file.path().filename().string());
  }
  std::size_t found = 0;
  for (const auto& page : std::filesystem::directory_iterator(root / "docs")) {
    const std::string name = page.path().filename().string();
    if (page.path().extension() != ".md" || name == "coverage.md" || name == "torch-programs.md") continue;
    for (const std::string& file :
         all(read("docs/" + name), R"(`(?:[A-Za-z0-9_.]+/)*([a-z0-9][a-z0-9_.]*\.(?:h|cpp|cu|cuh|sh|py))`)")) {
      EXPECT_TRUE(files.contains(file)) << "docs/" << name << " names " << file;
      ++found;
    }
  }
  EXPECT_GT(found, 100u);
}

}  // namespace
}  // namespace minima::test::figures_test
