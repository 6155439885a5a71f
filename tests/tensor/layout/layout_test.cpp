#include <minima/tensor/layout/layout.h>

#include "tests/support/expect_error.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include "tests/tensor/layout/layout_model.h"

// Error messages and named cases of layouts. layout_random_test.cpp compares views with their definition.

namespace minima::layout_test {
namespace {

using test::expect_error;

Layout of(const Shape& shape) { return Layout::contiguous(shape); }

TEST(Layout, RankZeroHasOneElement) {
  const Layout scalar = of({});
  EXPECT_EQ(scalar.numel(), 1);
  EXPECT_TRUE(scalar.is_contiguous());
  EXPECT_TRUE(scalar.is_dense());
  EXPECT_FALSE(scalar.may_overlap());
  EXPECT_EQ(scalar.end(), 1);
  EXPECT_EQ(scalar.transposed(0, -1), scalar);
  EXPECT_EQ(scalar.squeezed(0), scalar);
  EXPECT_EQ(str(scalar.unsqueezed(-1).shape), "[1]");
  EXPECT_EQ(str(scalar.expanded({2, 3}).strides), "[0, 0]");
}

TEST(Layout, SizeOneDimensionsDoNotMatterToDensity) {
  const Layout transposed{{5, 1, 3}, {1, 999, 5}, 0};
  EXPECT_FALSE(transposed.is_contiguous());
  EXPECT_TRUE(transposed.is_dense());
  EXPECT_FALSE(transposed.may_overlap());
  EXPECT_EQ(str(Layout::dense_like(transposed).strides).substr(0, 3), "[1,");
}

TEST(Layout, ChannelsLastIsKnownByItsStrides) {
  const Layout images = Layout::channels_last({2, 3, 4, 5});
  EXPECT_EQ(str(images.strides), "[60, 1, 15, 3]");
  EXPECT_TRUE(images.is_channels_last());
  EXPECT_TRUE(images.is_dense());
  EXPECT_FALSE(images.is_contiguous());
  EXPECT_TRUE(Layout::channels_last({2, 3, 4, 5, 6}).is_channels_last());
  EXPECT_FALSE(of({2, 3, 4, 5}).is_channels_last());
  EXPECT_TRUE(of({2, 1, 4, 5}).is_channels_last()) << "with one channel both orders are the same";
  EXPECT_FALSE(of({2, 3, 4}).is_channels_last());
  expect_error<ShapeError>([] { Layout::channels_last({2, 3}); },
                           "channels_last: needs a shape of rank 4 or 5, got [2, 3]");
}

TEST(Layout, DenseLikeKeepsTheOrderInMemory) {
  EXPECT_EQ(str(Layout::dense_like(Layout::channels_last({2, 3, 4, 5})).strides), "[60, 1, 15, 3]");
  const Layout every_second = Layout::channels_last({2, 3, 4, 5}).sliced(2, 0, 4, 2);
  EXPECT_TRUE(Layout::dense_like(every_second).is_channels_last());
  EXPECT_EQ(str(Layout::dense_like(of({3}).expanded({2, 3})).strides), "[3, 1]") << "broadcast rows get memory";
}

TEST(Layout, SlicesClampLikePython) {
  const Layout ten = of({10});
  const auto sizes = [&](std::int64_t start, std::int64_t stop, std::int64_t step) {
    return ten.sliced(0, start, stop, step).shape[0];
  };
  EXPECT_EQ(sizes(0, 10, 1), 10);
  EXPECT_EQ(sizes(-3, INT64_MAX, 1), 3);
  EXPECT_EQ(sizes(INT64_MIN, INT64_MAX, 1), 10);
  EXPECT_EQ(sizes(20, 30, 1), 0);
  EXPECT_EQ(sizes(5, 2, 1), 0);
  EXPECT_EQ(sizes(0, 10, 3), 4);
  EXPECT_EQ(sizes(0, 10, INT64_MAX), 1);
  EXPECT_EQ(sizes(1, 10, INT64_MAX), 1);
}

TEST(Layout, ReshapeOfAnEmptyTensorAlwaysWorks) {
  Layout result;
  ASSERT_TRUE(of({0, 4}).transposed(0, 1).try_reshape({2, 0, 7}, result));
  EXPECT_EQ(str(result.shape), "[2, 0, 7]");
}

TEST(Layout, ReshapeKeepsTheOffset) {
  Layout result;
  ASSERT_TRUE(of({4, 6}).selected(0, 2).try_reshape({2, 3}, result));
  EXPECT_EQ(result.offset, 12);
}

// Where its rows would begin does not fit into bytes.
TEST(Layout, PartsOfNothingKeepTheOffset) {
  const Layout x = of({std::int64_t{1} << 60, 4, 0});
  EXPECT_EQ(x.sliced(0, 1 << 30, std::int64_t{1} << 60, 1).offset, 0);
  EXPECT_EQ(x.selected(0, -1).offset, 0);
}

TEST(Layout, ViewsNameTheirOperatorWhenTheyRefuse) {
  const Layout x = of({2, 3});
  expect_error<ShapeError>([&] { x.permuted({0}, "movedim"); },
                           "movedim: an order of 1 dimensions for a tensor of shape [2, 3]");
  expect_error<ValueError>([&] { x.permuted({1, -1}); }, "permute: dimension 1 appears twice in [1, -1]");
  expect_error<IndexError>([&] { x.permuted({0, 2}); },
                           "permute: dimension 2 is out of range for a tensor of rank 2; use -2 to 1");
  expect_error<ValueError>([&] { x.sliced(0, 0, 2, 0); }, "slice: step must be at least 1, got 0");
  expect_error<ShapeError>([&] { of({}).sliced(0, 0, 1, 1); }, "slice: a tensor of rank 0 has no dimension to slice");
  expect_error<IndexError>([&] { x.selected(1, 3); }, "select: index 3 is out of range for dimension 1 of [2, 3]");
  expect_error<IndexError>([&] { x.selected(0, -3); }, "select: index -3 is out of range for dimension 0 of [2, 3]");
  expect_error<ShapeError>([&] { of({}).selected(0, 0); }, "select: a tensor of rank 0 has no dimension to index");
  expect_error<ShapeError>([&] { x.expanded({3}); }, "expand: [2, 3] has more dimensions than the target [3]");
  expect_error<ShapeError>([&] { x.expanded({4, 3}); },
                           "expand: cannot expand [2, 3] to [4, 3]: dimension 0 is 2, and only a size of 1 can grow");
  expect_error<ValueError>([&] { x.expanded({-1, 2, 3}); }, "expand: size -1 in [-1, 2, 3]");
}

TEST(Layout, WrapsDimensions) {
  EXPECT_EQ(wrap_dim(-1, 3, "sum"), 2);
  EXPECT_EQ(wrap_dim(0, 3, "sum"), 0);
  EXPECT_EQ(wrap_dim(-3, 3, "sum"), 0);
  EXPECT_EQ(wrap_dim(0, 0, "sum"), 0);
  EXPECT_EQ(wrap_dim(-1, 0, "sum"), 0);
  expect_error<IndexError>([] { wrap_dim(3, 3, "sum"); },
                           "sum: dimension 3 is out of range for a tensor of rank 3; use -3 to 2");
  expect_error<IndexError>([] { wrap_dim(1, 0, "sum"); },
                           "sum: dimension 1 is out of range for a tensor of rank 0; use -1 to 0");
  expect_error<IndexError>([] { wrap_dim(INT64_MIN, 3, "sum"); },
                           "sum: dimension -9223372036854775808 is out of range for a tensor of rank 3; use -3 to 2");
}

TEST(Layout, WrapsListsOfDimensions) {
  EXPECT_EQ(str(wrap_dims({-1, 0}, 3, "sum")), "[0, 2]");
  EXPECT_EQ(str(wrap_dims({}, 3, "sum")), "[0, 1, 2]") << "none means all";
  EXPECT_EQ(str(wrap_dims({}, 0, "sum")), "[]");
  EXPECT_EQ(str(wrap_dims({0}, 0, "sum")), "[]");
  expect_error<ValueError>([] { wrap_dims({1, -2}, 3, "sum"); }, "sum: a dimension appears twice in [1, -2]");
  expect_error<IndexError>([] { wrap_dims({0, 5}, 3, "sum"); },
                           "sum: dimension 5 is out of range for a tensor of rank 3; use -3 to 2");
}

TEST(Layout, InfersOneSize) {
  EXPECT_EQ(str(infer_shape({2, -1}, 6, "reshape")), "[2, 3]");
  EXPECT_EQ(str(infer_shape({-1}, 0, "reshape")), "[0]");
  EXPECT_EQ(str(infer_shape({}, 1, "reshape")), "[]");
  EXPECT_EQ(str(infer_shape({0, 5}, 0, "reshape")), "[0, 5]");
  expect_error<ValueError>([] { infer_shape({-1, -1}, 6, "reshape"); },
                           "reshape: only one size may be -1, got [-1, -1]");
  expect_error<ValueError>([] { infer_shape({2, -3}, 6, "reshape"); }, "reshape: size -3 in [2, -3]");
  expect_error<ValueError>([] { infer_shape({0, -1}, 0, "reshape"); },
                           "reshape: the -1 in [0, -1] is ambiguous with a size of 0");
  expect_error<ShapeError>([] { infer_shape({4}, 6, "reshape"); }, "reshape: 6 elements do not fill shape [4]");
  expect_error<ShapeError>([] { infer_shape({4, -1}, 6, "reshape"); }, "reshape: 6 elements do not fill shape [4, -1]");
  expect_error<ShapeError>([] { infer_shape({INT64_MAX, 3}, 6, "reshape"); },
                           "reshape: [9223372036854775807, 3] has more elements than an int64 can count");
}

TEST(Layout, BroadcastNamesTheSizesThatDiffer) {
  expect_error<ShapeError>([] { broadcast({2, 3}, {4, 2, 5}, "add"); },
                           "add: shapes [2, 3] and [4, 2, 5] do not broadcast: sizes 3 and 5 differ and neither is 1");
  expect_error<ShapeError>([] { broadcast({0}, {2}, "add"); },
                           "add: shapes [0] and [2] do not broadcast: sizes 0 and 2 differ and neither is 1");
}

}  // namespace
}  // namespace minima::layout_test
