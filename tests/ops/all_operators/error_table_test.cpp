#include "tests/ops/all_operators/declarations.h"
#include "tests/ops/checks/check.h"

#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>

// Every operator's table contains bad calls. The exceptions that a table must cover follow from the operator's dtypes
// and declaration: IndexError for a dimension, ShapeError for several tensors.

namespace minima::error_table_test {
namespace {

using namespace test;

/// What the table of an operator with these parameters must have.
std::vector<std::string> wanted_errors(const OpCases& cases, const std::vector<std::string>& overloads) {
  std::vector<std::string> kinds;
  static const std::regex dimension(R"((int64_t|Shape&) dims?\b)"),
      tensors(R"(const Tensor& \w+, .*const Tensor& \w+|span<const Tensor>)");
  if (cases.dtypes() != all_dtypes()) kinds.emplace_back("DTypeError");
  // `add scalar` is one of several overloads, and its declaration is unknown.
  if (cases.name().find(' ') != std::string::npos) return kinds;
  const auto takes = [&](const std::regex& parameter) {
    return std::any_of(overloads.begin(), overloads.end(),
                       [&](const std::string& list) { return std::regex_search(list, parameter); });
  };
  if (takes(dimension)) kinds.emplace_back("IndexError");
  if (takes(tensors)) kinds.emplace_back("ShapeError");
  return kinds;
}

bool has_error(const OpCases& cases, const std::string& kind) {
  for (const BadCall& bad : cases.bad_calls())
    if (bad.type == kind) return true;
  return false;
}

/// The errors that a table lacks.
Complaints missing_errors(const OpCases& cases, const std::vector<std::string>& overloads) {
  Complaints complaints;
  const std::string table = "the table of " + cases.name() + " ";
  std::vector<std::string> wanted = wanted_errors(cases, overloads);
  std::erase_if(wanted, [&](const std::string& kind) { return cases.does_without(kind); });
  for (const std::string& kind : wanted)
    if (!has_error(cases, kind))
      complaints.push_back(str(table, "has no bad call with ", kind, "; add one, or .without(\"", kind, "\", why)"));
  if (cases.bad_calls().empty() && wanted.empty() && !cases.does_without("errors"))
    complaints.push_back(table + "says nothing of errors; add a bad call, or .without(\"errors\", why)");
  if (cases.does_without("errors") && !wanted.empty())
    complaints.push_back(table + "does without errors, but the operator does not take everything");
  return complaints;
}

TEST(ErrorTable, EveryOperatorRefusesWhatItCannotDo) {
  const auto declared = declarations();
  for (const OpCases& cases : all_op_cases()) {
    const auto found = declared.find(cases.name());
    for (const std::string& complaint :
         missing_errors(cases, found == declared.end() ? std::vector<std::string>{} : found->second))
      ADD_FAILURE() << complaint;
  }
}

TEST(ErrorTable, ReadsWhatOperatorsTake) {
  const auto declared = declarations();
  EXPECT_EQ(wanted_errors(OpCases("softmax"), declared.at("softmax")),
            (std::vector<std::string>{"DTypeError", "IndexError"}));
  EXPECT_EQ(wanted_errors(OpCases("conv2d"), declared.at("conv2d")),
            (std::vector<std::string>{"DTypeError", "ShapeError"}));
  EXPECT_EQ(wanted_errors(OpCases("cat").dtypes(all_dtypes()), declared.at("cat")),
            (std::vector<std::string>{"IndexError", "ShapeError"}));
}

TEST(ErrorTable, NoticesAnOperatorWithoutErrors) {
  EXPECT_EQ(missing_errors(OpCases("softmax"), {"const Tensor& x, std::int64_t dim"}).size(), 2u);
  EXPECT_EQ(missing_errors(OpCases("tan").dtypes(all_dtypes()), {"const Tensor& x"}).size(), 1u);
  EXPECT_EQ(
      missing_errors(OpCases("tan").dtypes(all_dtypes()).without("errors", "takes everything"), {"const Tensor& x"})
          .size(),
      0u);
  EXPECT_EQ(
      missing_errors(OpCases("add").dtypes(all_dtypes()).without("errors", "why"), {"const Tensor& a, const Tensor& b"})
          .size(),
      2u);
}

/// Functions without a table of cases.
TEST(ErrorTable, FunctionsWithoutATableExplainBadCalls) {
  const auto whole = [](std::vector<std::int64_t> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return from_vector(values, {count});
  };
  OpCases cases("empty_like");
  for (const char* name : {"full_like",
                           "rand_like",
                           "randn_like",
                           "randint_like",
                           "zeros_like",
                           "ones_like",
                           "uniform_",
                           "normal_",
                           "bernoulli_",
                           "eye",
                           "full",
                           "arange",
                           "linspace",
                           "randint",
                           "randperm",
                           "rand",
                           "one_hot",
                           "unbind",
                           "chunk",
                           "view",
                           "feature_dropout",
                           "feature_alpha_dropout",
                           "addcmul_",
                           "lerp_"})
    cases.also_calls(name);
  cases.error<ValueError>([] { empty_like({}); }, "empty_like: argument 0 is undefined")
      .error<ValueError>([] { zeros_like({}); }, "zeros_like: argument 0 is undefined")
      .error<ValueError>([] { ones_like({}); }, "ones_like: argument 0 is undefined")
      .error<ValueError>([] { full_like({}, 1); }, "full_like: argument 0 is undefined")
      .error<ValueError>([] { full_like(empty({2}, {.dtype = uint8}), 300); },
                         "full_like: uint8 cannot hold 300; choose another value or dtype")
      .error<ValueError>([] { rand_like({}); }, "rand_like: argument 0 is undefined")
      .error<DTypeError>([] { rand_like(empty({2}), {.dtype = int64}); },
                         "rand_like: needs a floating dtype, got int64")
      .error<ValueError>([] { randn_like({}); }, "randn_like: argument 0 is undefined")
      .error<DTypeError>([] { randn_like(empty({2}, {.dtype = int64})); },
                         "randn_like: needs a floating dtype, got int64")
      .error<ValueError>([] { randint_like({}, 3); }, "randint_like: argument 0 is undefined")
      .error<ValueError>([] { randint_like(empty({2}), 0); }, "randint_like: there is no integer in [0, 0)")
      .error<ValueError>([] { randint_like(empty({2}, {.dtype = int8}), 200); },
                         "randint_like: int8 cannot hold 199; choose other bounds or another dtype")
      .error<ValueError>([] { randperm(200, {.dtype = int8}); },
                         "randperm: int8 cannot hold 199; choose other bounds or another dtype")
      .error<ValueError>([] { uniform_({}); }, "uniform_: argument 0 is undefined")
      .error<ValueError>([] { uniform_(empty({2}), 1, 0); }, "uniform_: [1, 0) is empty")
      .error<ValueError>([] { normal_({}); }, "normal_: argument 0 is undefined")
      .error<ValueError>([] { normal_(empty({2}), 0, -1); },
                         "normal_: the standard deviation must not be negative, got -1")
      .error<ValueError>([] { bernoulli_({}); }, "bernoulli_: argument 0 is undefined")
      .error<ValueError>([] { bernoulli_(empty({2}), 2); }, "bernoulli_: the probability must be in [0, 1], got 2")
      .error<ValueError>([] { eye(-1); }, "eye: sizes must not be negative, got -1 and -1")
      .error<ValueError>([] { eye(2, -2); }, "eye: sizes must not be negative, got 2 and -2")
      .error<ValueError>([] { full({2}, 300, {.dtype = uint8}); },
                         "full: uint8 cannot hold 300; choose another value or dtype")
      .error<ValueError>([] { full({2}, 1e30, {.dtype = int64}); },
                         "full: int64 cannot hold 1e+30; choose another value or dtype")
      .error<ValueError>([] { full({2}, 70'000, {.dtype = float16}); },
                         "full: float16 cannot hold 70000; choose another value or dtype")
      .error<ValueError>([] { arange(0, 3, -1); }, "arange: a step of -1 does not lead from 0 to 3")
      .error<ValueError>([] { linspace(0, 1, -1); }, "linspace: count must not be negative, got -1")
      .error<ValueError>([] { randint(0, 0, {2}); }, "randint: there is no integer in [0, 0)")
      .error<ValueError>([] { randperm(-1); }, "randperm: n must not be negative, got -1")
      .error<DTypeError>([] { rand({2}, {.dtype = int64}); }, "rand: needs a floating dtype, got int64")
      .error<DTypeError>([] { one_hot(empty({2}), 3); },
                         "one_hot: classes must be int64, got float32 [2]; convert them with to()")
      .error<IndexError>([=] { one_hot(whole({0, 3}), 3); }, "one_hot: index[1] is 3, but dimension 1 has size 3")
      .error<IndexError>([=] { one_hot(whole({-1}), 3); }, "one_hot: index[0] is -1, but dimension 1 has size 3")
      .error<ValueError>([=] { one_hot(whole({0}), 0); }, "one_hot: count must be positive, got 0")
      .error<IndexError>([] { unbind(empty({2}), 1); },
                         "unbind: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
      .error<ShapeError>([] { unbind(empty(Shape{}), 0); }, "unbind: x has no dimension to unbind, got float32 []")
      .error<ValueError>([] { chunk(empty({3}), 0); }, "chunk: count must be at least 1, got 0")
      .error<IndexError>([] { chunk(empty({3}), 2, 1); },
                         "chunk: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
      .error<ShapeError>([] { view(t(empty({2, 3})), {6}); },
                         "view: strides [1, 3] of float32 [3, 2] do not allow shape [6] without a copy; use reshape")
      .error<ShapeError>([] { feature_dropout(empty({2}), 0.5); },
                         "feature_dropout: x must be [N, C, …], got float32 [2]")
      .error<DTypeError>([=] { feature_dropout(whole({1, 2}), 0.5); },
                         "feature_dropout: needs a floating tensor, got int64 [2]; convert it with to()")
      .error<ShapeError>([] { feature_alpha_dropout(empty({2}), 0.5); },
                         "feature_alpha_dropout: x must be [N, C, …], got float32 [2]")
      .error<ShapeError>([] { addcmul_(empty({2}), empty({3}), empty({2})); },
                         "addcmul_: shapes [3] and [2] do not broadcast: sizes 3 and 2 differ and neither is 1")
      .error<ShapeError>([] { addcmul_(empty({1}), empty({3}), empty({3})); },
                         "addcmul_: the result has shape [3], but the tensor changed in place is float32 [1]")
      .error<ShapeError>([] { lerp_(empty({2}), empty({3}), 0.5); },
                         "lerp_: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1");
  for (const std::string& complaint : check_bad_calls(cases)) ADD_FAILURE() << complaint;
}

}  // namespace
}  // namespace minima::error_table_test
