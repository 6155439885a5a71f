#include <minima/tensor/layout/checked.h>

#include "tests/support/expect_error.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>

#include <gtest/gtest.h>

namespace minima::checked_test {
namespace {

using detail::checked_end, detail::checked_numel, detail::fit, detail::Wide, detail::window_count;
using test::expect_error;

constexpr std::int64_t most = INT64_MAX, half = std::int64_t{1} << 62;

TEST(Checked, SizesFitOrAreRefused) {
  EXPECT_EQ(fit(Wide{most} + 1 - 1, "pad"), most);
  EXPECT_EQ(fit(-Wide{most} - 1, "pad"), INT64_MIN);
  expect_error<ShapeError>([] { fit(Wide{most} + 1, "pad"); }, "pad: a size of 9223372036854775808 overflows an int64");
  expect_error<ShapeError>([] { fit(Wide{INT64_MIN} * 2, "pad"); },
                           "pad: a size of -18446744073709551616 overflows an int64");
}

TEST(Checked, CountsElementsWithZerosAsOnes) {
  EXPECT_EQ(checked_numel({2, 3}, "zeros"), 6);
  EXPECT_EQ(checked_numel({0, most}, "zeros"), 0);
  EXPECT_EQ(checked_numel({}, "zeros"), 1);
  for (const Shape& shape : {Shape{half, 2}, Shape{half, 4, 0}, Shape{0, half, 4}, Shape{half, half, half}})
    EXPECT_THROW(checked_numel(shape, "zeros"), ShapeError);
  expect_error<ShapeError>([] { checked_numel({half, 2}, "zeros"); },
                           "zeros: shape [4611686018427387904, 2] has more elements than an int64 can count");
  expect_error<ValueError>([] { checked_numel({2, -1}, "zeros"); }, "zeros: size -1 in shape [2, -1]");
}

TEST(Checked, FindsTheEndOfALayout) {
  EXPECT_EQ(checked_end({{2, 3}, {10, 2}, 5}, "as_strided"), 20);
  EXPECT_EQ(checked_end({{2, 0}, {most, most}, most}, "as_strided"), 0);
  EXPECT_EQ(checked_end({{1}, {most}, most - 1}, "as_strided"), most);
  for (const Layout& layout :
       {Layout{{2}, {most}, 0}, Layout{{3}, {half}, 0}, Layout{{1}, {1}, most}, Layout{{2, 2}, {half, half}, 0}})
    EXPECT_THROW(checked_end(layout, "as_strided"), ShapeError);
  EXPECT_THROW(checked_end({{2}, {-1}, 5}, "as_strided"), ValueError);
  EXPECT_THROW(checked_end({{2}, {1}, -1}, "as_strided"), ValueError);
  EXPECT_THROW(checked_end({{2, 2}, {1}, 0}, "as_strided"), ShapeError);
}

TEST(Checked, CountsWindows) {
  EXPECT_EQ(window_count(7, 3, 2, 1, 1, "conv2d"), 4);
  EXPECT_EQ(window_count(2, 3, 1, 0, 1, "conv2d"), 0);
  EXPECT_EQ(window_count(most, 1, 1, 0, 1, "conv2d"), most);
  EXPECT_EQ(window_count(4, 3, 1, half, half, "conv2d"), 4);
  EXPECT_EQ(window_count(4, most, 1, 0, most, "conv2d"), 0);
  EXPECT_THROW(window_count(4, 3, 1, most, 1, "conv2d"), ShapeError);
}

TEST(Checked, NewTensorsAreSound) {
  expect_error<OutOfMemoryError>([] { empty({half, 4}); },
                                 "empty: shape [4611686018427387904, 4] of float32 is larger than any memory");
  expect_error<OutOfMemoryError>([] { empty({half, 4, 0}); },
                                 "empty: shape [4611686018427387904, 4, 0] of float32 is larger than any memory");
  expect_error<ValueError>([] { empty({0, -1}); }, "empty: size -1 in shape [0, -1]");
  expect_error<ValueError>([] { empty(Layout{{2}, {-1}, 0}); },
                           "empty: strides [-1] and offset 0 of shape [2] must not be negative");
  expect_error<ShapeError>([] { empty(Layout{{2, 2}, {1}, 0}); },
                           "empty: needs a stride for each dimension of shape [2, 2], got [1]");
  EXPECT_EQ(empty({0, most}).numel(), 0);
}

TEST(Checked, BorrowedMemoryHasASoundLayout) {
  float memory[4] = {1, 2, 3, 4};
  EXPECT_EQ(from_blob(memory, Layout{{2}, {3}, 0}).to_vector<float>(), (std::vector<float>{1, 4}));
  EXPECT_THROW(from_blob(memory, Layout{{half, 4}, {0, 0}, 0}), ShapeError);
  EXPECT_THROW(from_blob(memory, Layout{{-1}, {1}, 0}), ValueError);
  EXPECT_THROW(from_blob(memory, Layout{{3}, {half}, 0}), ShapeError);
  EXPECT_THROW(from_values(memory, 0, {std::int64_t{1} << 32, std::int64_t{1} << 32}), ShapeError);
}

}  // namespace
}  // namespace minima::checked_test
