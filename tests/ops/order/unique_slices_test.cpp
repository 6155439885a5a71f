#include "tests/support/device.h"
#include "tests/support/expect_error.h"

#include <minima/ops/ops.h>
#include <minima/ops/order/unique_slices.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

// unique and unique_consecutive along a dimension.

namespace minima::unique_slices_test {
namespace {

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
}  // namespace minima::unique_slices_test
