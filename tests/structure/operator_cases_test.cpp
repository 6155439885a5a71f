#include "tests/structure/sample_tree.h"
#include "tests/structure/source_tree.h"

#include <gtest/gtest.h>

#include <iostream>
#include <regex>
#include <set>

// An operator's row of cases is what all derived checks run on; one without it would pass untested.

namespace structure {
namespace {

namespace fs = std::filesystem;

/// `softmax` for ops/softmax/softmax.cpp, `relu` for ops/pointwise/relu.cpp; empty for the machinery in ops/ itself.
std::string unit_of(const std::string& path) {
  const fs::path relative = fs::path(path).lexically_relative("ops");
  if (!relative.has_parent_path()) return "";
  const std::string folder = relative.begin()->string();
  return folder == "pointwise" ? relative.stem().string() : folder;
}

bool defines_operator(const SourceFile& file) {
  static const std::regex traits(R"(^[^/]*\bTraits\s+traits\b)");
  for (const std::string& line : file.lines)
    if (std::regex_search(line, traits)) return true;
  return false;
}

/// The folders, and the files of ops/pointwise/, that define operators.
std::set<std::string> operator_units(const fs::path& root) {
  std::set<std::string> units;
  for (const SourceFile& file : library_sources(root))
    if (file.folder() == "ops" && defines_operator(file))
      if (const std::string unit = unit_of(file.path); !unit.empty()) units.insert(unit);
  return units;
}

Complaints check_cases(const fs::path& root) {
  Complaints complaints;
  for (const std::string& unit : operator_units(root)) {
    const std::string cases = "tests/ops/" + unit + "_test.cpp";
    if (!fs::exists(root / cases)) complaints.push_back("operator " + unit + " has no " + cases);
  }
  return complaints;
}

TEST(OperatorCases, EveryOperatorHasItsCasesFile) {
  std::cout << operator_units(repository()).size() << " folders or pointwise files define operators\n";
  const Complaints complaints = check_cases(repository());
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

TEST(OperatorCasesCheck, NamesOperatorsWithoutCases) {
  const SampleTree tree;
  const std::string definition = "struct S {\n  static constexpr Traits traits{.name = \"s\"};\n};\n";
  tree.write("ops/op.h", "// static constexpr Traits traits{…}\n" + definition);
  tree.write("ops/softmax/softmax.cpp", definition);
  tree.write("ops/matmul/matmul.cpp", definition);
  tree.write("ops/matmul/gemm.cpp", "void gemm();\n");
  tree.write("ops/pointwise/relu.cpp", definition);
  tree.write("ops/pointwise/loop.cpp", "void loop();\n");
  tree.write("tests/ops/matmul_test.cpp", "");
  const Complaints expected{"operator relu has no tests/ops/relu_test.cpp",
                            "operator softmax has no tests/ops/softmax_test.cpp"};
  EXPECT_EQ(check_cases(tree.root()), expected);
}

}  // namespace
}  // namespace structure
