#include <minima/ops/sort/unique.h>

#include "tests/ops/checks/composed.h"
#include "tests/support/device.h"
#include "tests/support/expect_error.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace minima::unique_test {
namespace {

using namespace test;

[[maybe_unused]] const bool unique_cases =
    composed(OpCases("unique"))
        .dtypes(all_dtypes())
        .result_dtype(1, always<int64>)
        .result_dtype(2, always<int64>)
        .no_gradient()
        .on(
            [](In in) {
              const auto [values, inverse, counts] = unique(in[0]);
              return std::vector{values, inverse, counts};
            },
            [](const std::vector<Doubles>& in) {
              Line all = in[0].values;
              std::sort(all.begin(), all.end());
              Line values = all;
              values.erase(std::unique(values.begin(), values.end()), values.end());
              const auto count = static_cast<std::int64_t>(values.size());
              Doubles counts(Shape{count}), inverse = in[0];
              for (double& x : inverse.values) {
                const auto at = std::lower_bound(values.begin(), values.end(), x) - values.begin();
                counts.values[static_cast<std::size_t>(at)] += 1;
                x = static_cast<double>(at);
              }
              return std::vector{Doubles(Shape{count}, values), inverse, counts};
            })
        .pytorch("lambda x: torch.unique(x.detach(), return_inverse=True, return_counts=True)")
        .huge([](auto n) { unique(ones({2}), n); })
        .inputs(whole({3, 4}, 0, 5))
        .inputs(whole({3, 4}, 0, 100))
        .inputs(whole({0, 4}, 0, 5))
        .inputs(normal({}))
        .error<IndexError>([] { unique(sized({2}), 1); },
                           "unique: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { unique(sized({2, 0}), 0); },
                           "unique: the slices along dimension 0 of float32 [2, 0] have no elements to compare")
        .check();

[[maybe_unused]] const bool unique_consecutive_cases =
    composed(OpCases("unique_consecutive"))
        .dtypes(all_dtypes())
        .result_dtype(1, always<int64>)
        .result_dtype(2, always<int64>)
        .no_gradient()
        .on(
            [](In in) {
              const auto [values, inverse, counts] = unique_consecutive(in[0]);
              return std::vector{values, inverse, counts};
            },
            [](const std::vector<Doubles>& in) {
              Doubles values(Shape{0}), inverse = in[0], counts(Shape{0});
              for (std::size_t i = 0; i < in[0].values.size(); ++i) {
                if (i == 0 || in[0].values[i] != in[0].values[i - 1]) {
                  values.values.push_back(in[0].values[i]);
                  counts.values.push_back(0);
                }
                counts.values.back() += 1;
                inverse.values[i] = static_cast<double>(counts.values.size() - 1);
              }
              values.shape = counts.shape = {static_cast<std::int64_t>(counts.values.size())};
              return std::vector{values, inverse, counts};
            })
        .pytorch("lambda x: torch.unique_consecutive(x.detach(), return_inverse=True, return_counts=True)")
        .huge([](auto n) { unique_consecutive(ones({2}), n); })
        .inputs(whole({3, 4}, 0, 2))
        .inputs(whole({0, 4}, 0, 5))
        .error<IndexError>([] { unique_consecutive(sized({2}), 1); },
                           "unique_consecutive: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>(
            [] { unique_consecutive(sized({2, 0}), 0); },
            "unique_consecutive: the slices along dimension 0 of float32 [2, 0] have no elements to compare")
        .check();

[[maybe_unused]] const bool isin_cases =
    composed(OpCases("isin"))
        .dtypes(all_dtypes())
        .result_dtype(always<boolean>)
        .no_gradient()
        .on([](In in) { return isin(in[0], in[1]); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              for (double& x : y.values)
                x = std::find(in[1].values.begin(), in[1].values.end(), x) != in[1].values.end() ? 1 : 0;
              return y;
            })
        .pytorch("torch.isin")
        .inputs(whole({3, 4}, 0, 8), given({2, 2}, {1, 2, 5, 2}))
        .inputs(whole({0, 4}, 0, 8), given({2}, {1, 2}))
        .inputs(whole({4}, 0, 8), given({0}, {}))
        .error<DTypeError>(
            [] { isin(sized({2}), sized({2}, float64)); },
            "isin: elements must have the dtype of x float32 [2], got float64 [2]; convert them with to()")
        .without("ShapeError", "all shapes fit")
        .check();

TEST(Order, UniqueOfWholeNumbersInAnyRange) {
  const auto [values, inverse, counts] = unique(tensor({{-3, 4, -3}, {-1, -3, 4}}));
  EXPECT_EQ(values.to_vector<std::int64_t>(), (std::vector<std::int64_t>{-3, -1, 4}));
  EXPECT_EQ(inverse.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 2, 0, 1, 0, 2}));
  EXPECT_EQ(counts.to_vector<std::int64_t>(), (std::vector<std::int64_t>{3, 1, 2}));
  const std::vector<std::int64_t> ends = {INT64_MIN, INT64_MAX};
  EXPECT_EQ(unique(from_vector<std::int64_t>({INT64_MAX, INT64_MIN, INT64_MAX}, {3})).values.to_vector<std::int64_t>(),
            ends);
}

using Places = std::vector<std::int64_t>;

void expect(const Unique& got, const Tensor& values, const Places& inverse, const Places& counts) {
  EXPECT_TRUE(identical(contiguous(got.values).to(Device()), values)) << allclose(got.values, values).message;
  EXPECT_EQ(got.inverse.to_vector<std::int64_t>(), inverse);
  EXPECT_EQ(got.counts.to_vector<std::int64_t>(), counts);
}

class UniqueSlices : public testing::Test {
  void SetUp() override { SKIP_WITHOUT_TEST_DEVICE(); }
};

TEST_F(UniqueSlices, AreSortedByTheirFirstDifference) {
  const Tensor x = tensor<float>({{1, 9}, {0, 3}, {1, 2}, {0, 3}, {1, 9}}).to(test::test_device());
  expect(unique(x, 0), tensor<float>({{0, 3}, {1, 2}, {1, 9}}), {2, 0, 1, 0, 2}, {2, 1, 2});
  expect(unique(transpose(x, 0, 1), -1), tensor<float>({{0, 1, 1}, {3, 2, 9}}), {2, 0, 1, 0, 2}, {2, 1, 2});
  expect(unique_consecutive(x, 0), x.to(Device()), {0, 1, 2, 3, 4}, {1, 1, 1, 1, 1});
}

TEST_F(UniqueSlices, MayHaveSeveralDimensions) {
  const Tensor x =
      reshape(tensor<std::int64_t>({1, 2, 1, 2, 0, 5, 3, 4, 3, 4, 3, 4}), {2, 3, 2}).to(test::test_device());
  // Slices along dimension 1: (1 2 | 3 4), (1 2 | 3 4), (0 5 | 3 4).
  expect(unique(x, 1), reshape(tensor<std::int64_t>({0, 5, 1, 2, 3, 4, 3, 4}), {2, 2, 2}), {1, 1, 0}, {1, 2});
  expect(unique_consecutive(x, 1), reshape(tensor<std::int64_t>({1, 2, 0, 5, 3, 4, 3, 4}), {2, 2, 2}), {0, 0, 1},
         {2, 1});
}

TEST_F(UniqueSlices, OfOneElementAreElements) {
  const Tensor x = tensor<std::int64_t>({4, 1, 4, 1, 1}).to(test::test_device());
  expect(unique(x, 0), tensor<std::int64_t>({1, 4}), {1, 0, 1, 0, 0}, {3, 2});
  expect(unique_consecutive(x, 0), tensor<std::int64_t>({4, 1, 4, 1}), {0, 1, 2, 3, 3}, {1, 1, 1, 2});
}

TEST_F(UniqueSlices, WithNanAreAllDifferent) {
  const Tensor x = tensor<float>({{NAN, 1}, {0, 1}, {NAN, 1}}).to(test::test_device());
  EXPECT_EQ(unique(x, 0).counts.to_vector<std::int64_t>(), Places({1, 1, 1}));
  EXPECT_EQ(unique(x, 0).inverse.to_vector<std::int64_t>(), Places({1, 0, 2}));
}

TEST_F(UniqueSlices, OfNothingAreNone) {
  const Unique none = unique(zeros({0, 3}, {.device = test::test_device()}), 0);
  EXPECT_EQ(none.values.shape(), (Shape{0, 3}));
  EXPECT_EQ(none.inverse.shape(), (Shape{0}));
  EXPECT_EQ(none.counts.shape(), (Shape{0}));
}

TEST_F(UniqueSlices, NeedADimension) {
  EXPECT_EQ(test::message_of<ShapeError>([] { unique_consecutive(zeros({}), 0); }),
            "unique_consecutive: x must have at least one dimension, got float32 []");
  EXPECT_THROW(unique(Tensor(), 0), ValueError);
}

}  // namespace
}  // namespace minima::unique_test
