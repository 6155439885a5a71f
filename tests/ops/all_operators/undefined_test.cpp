#include "tests/ops/all_operators/declarations.h"
#include "tests/ops/checks/op_cases.h"

#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

// Tables of cases call their operators, and their in-place forms, with undefined inputs (checks/errors.cpp). Other
// forms and functions are called by OpCases::undefined and FunctionCases::undefined.

namespace minima::undefined_test {
namespace {

using namespace test;

/// Calls everything that these rows name with an undefined tensor.
template <class Cases>
void expect_refusals(const Cases& cases) {
  for (const UndefinedCall& call : cases.undefined_calls()) {
    try {
      call(Tensor());
      ADD_FAILURE() << cases.name() << ": nothing was thrown";
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("undefined"), std::string::npos) << cases.name() << ": " << text;
    }
  }
}

TEST(UndefinedInputs, AreRefusedByNameWithoutATableToo) {
  for (const OpCases& cases : all_op_cases()) expect_refusals(cases);
  for (const FunctionCases& cases : all_function_cases()) expect_refusals(cases);
}

TEST(UndefinedInputs, NoFunctionIsLeftOut) {
  std::set<std::string> known;
  for (const FunctionCases& cases : all_function_cases())
    if (!cases.undefined_calls().empty()) known.insert(cases.name());
  for (const OpCases& cases : all_op_cases()) {
    const bool in_place = std::any_of(cases.calls().begin(), cases.calls().end(),
                                      [](const OpCall& call) { return static_cast<bool>(call.in_place); });
    std::istringstream words(cases.name());
    for (std::string word; words >> word;) {
      known.insert(word);
      if (in_place) known.insert(word + "_");
    }
  }
  int found = 0;
  for (const auto& [name, overloads] : declarations()) {
    const bool takes_tensor = std::any_of(overloads.begin(), overloads.end(), [](const std::string& parameters) {
      return parameters.find("const Tensor&") != std::string::npos;
    });
    found += takes_tensor;
    EXPECT_TRUE(!takes_tensor || known.contains(name)) << name << " needs a table or FunctionCases::undefined";
  }
  EXPECT_GT(found, 150);
}

}  // namespace
}  // namespace minima::undefined_test
