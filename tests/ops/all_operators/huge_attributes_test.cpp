#include "tests/ops/all_operators/declarations.h"
#include "tests/ops/checks/op_cases.h"
#include "tests/support/limits.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

// Every numeric argument of an operator, with values that no tensor has room for: the calls of OpCases::huge and
// FunctionCases::huge. Tensors of such sizes are tried by the tables of cases (checks/huge.cpp).

namespace minima::huge_attributes_test {
namespace {

using namespace test;

constexpr std::int64_t extremes[] = {std::int64_t{1} << 31, std::int64_t{1} << 62, -(std::int64_t{1} << 62), INT64_MIN,
                                     INT64_MAX};

struct NamedCall {
  std::string op;
  HugeCall call;
};

std::vector<NamedCall> all_calls() {
  std::vector<NamedCall> all;
  const auto add = [&](const auto& cases) {
    for (const HugeCall& call : cases.huge_calls()) all.push_back({cases.name(), call});
  };
  for (const OpCases& cases : all_op_cases()) add(cases);
  for (const FunctionCases& cases : all_function_cases()) add(cases);
  return all;
}

TEST(HugeAttributes, EndInAnErrorOrAResult) {
  Tally tally;
  for (const NamedCall& call : all_calls())
    for (const std::int64_t value : extremes) {
      const Verdict verdict = within_limits([&] { call.call(value); });
      tally.add(verdict.outcome);
      EXPECT_NE(verdict.outcome, Outcome::intolerable) << call.op << " with " << value << ": " << verdict.text;
      EXPECT_NE(verdict.outcome, Outcome::costly) << call.op << " with " << value;
    }
  std::printf("%s\n", tally.text("attributes").c_str());
}

/// Whether a parameter list contains a size, a position or a dimension.
bool takes_sizes(const std::string& parameters) {
  for (const char* type : {"int64_t", "Shape&", "Pair ", "Layout&", "Pool1dOptions", "Pool2dOptions", "Conv",
                           "InterpolateOptions", "vector<Index>", "CrossEntropyOptions", " NllOptions"})
    if (parameters.find(type) != std::string::npos) return true;
  return false;
}

TEST(HugeAttributes, AreTriedOfEveryOperatorThatHasSome) {
  const std::set<std::string> internal{"make_view",         "make_plan", "reduced_shape",
                                       "with_reduced_dims", "lines_of",  "arranged"};
  std::set<std::string> tried;
  for (const NamedCall& call : all_calls()) tried.insert(call.op);
  for (const auto& [name, overloads] : declarations())
    for (const std::string& parameters : overloads)
      EXPECT_TRUE(!takes_sizes(parameters) || internal.contains(name) || tried.contains(name))
          << name << "(" << parameters << ") needs OpCases::huge or FunctionCases::huge";
}

}  // namespace
}  // namespace minima::huge_attributes_test
