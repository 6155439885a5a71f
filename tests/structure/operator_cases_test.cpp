#include "tests/structure/sample_tree.h"
#include "tests/structure/source_tree.h"

#include <gtest/gtest.h>

#include <cctype>
#include <iostream>
#include <map>
#include <regex>
#include <set>

// All derived checks of an operator run on its table of cases; one without a table would pass untested.

namespace structure::operator_cases_test {
namespace {

namespace fs = std::filesystem;

/// All matches of the pattern's first group in code, not in comments that start a line.
std::set<std::string> find_all(const SourceFile& file, const std::regex& pattern) {
  std::set<std::string> found;
  for (const std::string& line : file.lines) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line.compare(first, 2, "//") == 0) continue;
    for (std::sregex_iterator match(line.begin(), line.end(), pattern); match != std::sregex_iterator(); ++match)
      found.insert((*match)[1]);
  }
  return found;
}

/// The text of all headers in ops/, in which a public operator's function is declared, without comments and messages.
std::string declarations(const std::vector<SourceFile>& sources) {
  std::string text;
  for (const SourceFile& file : sources)
    if (file.folder() == "ops" && file.path.ends_with(".h"))
      for (const std::string& line : file.lines)
        if (!line.starts_with("//") && line.find('"') == std::string::npos) text += line + "\n";
  return text;
}

/// Declared with any result: `Tensor softmax(…)`, `void relu_(…)`, `SumAndNorm add_layer_norm(…)`; a `…_gradient` is
/// tested as the gradient of its operator.
bool is_public(const std::string& name, const std::string& headers) {
  if (name.ends_with("_gradient")) return false;
  for (const std::string& declared : {" " + name + "(", " " + name + "_("})
    for (std::size_t at = headers.find(declared); at != std::string::npos; at = headers.find(declared, at + 1))
      if (at > 0 && (std::isalnum(static_cast<unsigned char>(headers[at - 1])) || headers[at - 1] == '&')) return true;
  return false;
}

/// The public operators and where each is defined; helpers that only another operator calls have no declaration.
std::map<std::string, std::string> public_operators(const fs::path& root) {
  static const std::regex named(R"re(\bTraits traits\{\.name = "([^"]+)")re");
  const std::vector<SourceFile> sources = library_sources(root);
  const std::string headers = declarations(sources);
  std::map<std::string, std::string> operators;
  for (const SourceFile& file : sources)
    if (file.folder() == "ops")
      for (const std::string& name : find_all(file, named))
        if (is_public(name, headers)) operators.emplace(name, file.path);
  return operators;
}

/// The names of all tables `OpCases("softmax")` in tests/ops/.
std::set<std::string> tables(const fs::path& root) {
  static const std::regex table(R"re(\bOpCases(?:\s+\w+)?\("([^"]+)"\))re");
  std::set<std::string> names;
  if (!fs::exists(root / "tests/ops")) return names;
  for (const auto& entry : fs::recursive_directory_iterator(root / "tests/ops"))
    if (entry.path().extension() == ".cpp") names.merge(find_all(read_source(root, entry.path()), table));
  return names;
}

Complaints check_cases(const fs::path& root) {
  Complaints complaints;
  const std::set<std::string> tested = tables(root);
  for (const auto& [name, file] : public_operators(root))
    if (!tested.count(name) && !tested.count(name + "_"))
      complaints.push_back(file + ": no OpCases(\"" + name + "\") in tests/ops/");
  return complaints;
}

TEST(OperatorCases, EveryOperatorHasItsTable) {
  std::cout << public_operators(repository()).size() << " operators, " << tables(repository()).size() << " tables\n";
  const Complaints complaints = check_cases(repository());
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

TEST(OperatorCasesCheck, NamesOperatorsWithoutATable) {
  const SampleTree tree;
  const auto definition = [](const std::string& name) {
    return "struct S {\n  static constexpr Traits traits{.name = \"" + name + "\", .hidden = 1};\n};\n";
  };
  tree.write("ops/op.h",
             "//   static constexpr Traits traits{.name = \"example\"};\n// Tensor example(const Tensor& x);\n");
  tree.write("ops/reduce/softmax.h", "MINIMA_API Tensor softmax(const Tensor& x, int dim);\n");
  tree.write("ops/reduce/softmax.cpp", definition("softmax"));
  tree.write("ops/product/matmul.h", "MINIMA_API Tensor matmul(const Tensor& a, const Tensor& b);\n");
  tree.write("ops/product/matmul.cpp", definition("matmul") + definition("matmul_gradient"));
  tree.write("ops/pointwise/relu.h", "MINIMA_API Tensor& relu_(Tensor& x);\n");
  tree.write("ops/pointwise/relu.cpp", definition("relu"));
  tree.write("tests/ops/product/matmul_test.cpp", "const bool matmul_cases = OpCases(\"matmul\").check();\n");
  tree.write("tests/ops/relu_test.cpp", "// OpCases(\"relu\")\n");
  const Complaints expected{"ops/pointwise/relu.cpp: no OpCases(\"relu\") in tests/ops/",
                            "ops/reduce/softmax.cpp: no OpCases(\"softmax\") in tests/ops/"};
  EXPECT_EQ(check_cases(tree.root()), expected);
}

/// Checked distributed programs refuse operators without a rule, which are to be users' only.
TEST(OperatorCases, EveryOperatorHasAPlacementRule) {
  static const std::regex named(R"re(\.name = "([a-z0-9_]+)")re"), word("([a-z0-9_]+)");
  const std::set<std::string> ruled =
      find_all(read_source(repository(), repository() / "distributed/placement/rules.cpp"), word);
  for (const SourceFile& file : library_sources(repository())) {
    if (file.folder() != "ops") continue;
    for (const std::string& name : find_all(file, named))
      EXPECT_TRUE(ruled.contains(name)) << file.path << ": no rule for " << name;
  }
}

}  // namespace
}  // namespace structure::operator_cases_test
