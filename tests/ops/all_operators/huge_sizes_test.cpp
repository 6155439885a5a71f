#include "tests/support/expect_error.h"

#include <minima/ops/ops.h>
#include <minima/ops/pooling/pool_axis.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <vector>

// Errors for sizes whose arithmetic would overflow, and calls that work on sizes beyond all memory.

namespace minima::huge_sizes_test {
namespace {

using test::expect_error;

constexpr std::int64_t half = std::int64_t{1} << 62, quarter = std::int64_t{1} << 61;

Tensor one() { return ones({1}); }

TEST(HugeSizes, AsStridedStaysWithinTheStorage) {
  const Tensor x = ones({2, 3});
  EXPECT_THROW(as_strided(x, Layout{{2}, {quarter}, 0}), IndexError);
  EXPECT_THROW(as_strided(x, Layout{{3}, {INT64_MAX}, 0}), ShapeError);
  EXPECT_THROW(as_strided(x, Layout{{half, 8}, {0, 0}, 0}), ShapeError);
  EXPECT_THROW(as_strided(x, Layout{{1}, {1}, INT64_MAX}), ShapeError);
  EXPECT_EQ(as_strided(x, Layout{{half}, {0}, 5}).numel(), half);
  EXPECT_EQ(as_strided(x, Layout{{0, 3}, {INT64_MAX, INT64_MAX}, INT64_MAX}).shape(), (Shape{0, 3}));
}

TEST(HugeSizes, ViewsMayHaveAsManyElementsAsAnInt64Counts) {
  EXPECT_EQ(expand(one(), {INT64_MAX}).numel(), INT64_MAX);
  EXPECT_EQ(expand(ones({0, 1}), {0, half}).numel(), 0);
  EXPECT_EQ(slice(expand(one(), {half}), 0, 1, INT64_MAX, quarter).shape(), Shape{2});
  EXPECT_EQ(expand(one(), {half})[half - 1].item<float>(), 1);
  expect_error<ShapeError>([] { expand(one(), {half, 4}); },
                           "expand: shape [4611686018427387904, 4] has more elements than an int64 can count");
}

TEST(HugeSizes, OfResultsAreRefused) {
  const Tensor x = ones({2, 2}), images = ones({1, 1, 4, 4}), many = expand(one(), {half});
  EXPECT_THROW(sum(expand(ones({1, 1}), {half, half})), ShapeError);
  EXPECT_THROW(pad(x, {INT64_MAX, INT64_MAX}), ShapeError);
  EXPECT_THROW(pad(x, {INT64_MIN, 0}), ShapeError);
  EXPECT_THROW(cat({{many, many, many, many, one()}}), ShapeError);
  EXPECT_THROW(repeat(x, {half, 4}), Error);
  EXPECT_THROW(repeat(x, {half, 1}), ShapeError);
  EXPECT_THROW(repeat_interleave(ones({4}), half + 1, 0), ShapeError);
  EXPECT_THROW(repeat_interleave(one(), half, 0), OutOfMemoryError);
  EXPECT_THROW(interpolate(images, {.size = {half, half}}), ShapeError);
  EXPECT_THROW(max_pool2d(images, {.kernel = 2, .padding = INT64_MAX}), ValueError);
  EXPECT_THROW(adaptive_avg_pool2d(images, half), OutOfMemoryError);
  EXPECT_THROW(split(many, 1), OutOfMemoryError);
  EXPECT_THROW(unbind(many), OutOfMemoryError);
  expect_error<ValueError>(
      [&] { conv2d(images, images, {}, {.padding = half}); },
      "conv2d: padding must be at most 2147483647, got [4611686018427387904, 4611686018427387904]");
  expect_error<OutOfMemoryError>([&] { exp(many); },
                                 "exp: shape [4611686018427387904] of float32 is larger than any memory");
}

TEST(HugeSizes, OutOfMemoryNamesTheOperator) {
  try {
    exp(expand(one(), {std::int64_t{1} << 41}));
    FAIL() << "8 TiB were found";
  } catch (const OutOfMemoryError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("for exp, whose result is float32 [2199023255552]"), std::string::npos) << text;
  }
}

TEST(HugeSizes, OfNothingAreNothing) {
  EXPECT_EQ(tril(ones({2, 2}), INT64_MIN).to_vector<float>(), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(tril(ones({2, 2}), INT64_MAX).to_vector<float>(), (std::vector<float>{1, 1, 1, 1}));
  EXPECT_EQ(triu(ones({2, 2}), INT64_MAX).to_vector<float>(), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(roll(tensor<float>({1, 2, 3}), INT64_MIN, 0).to_vector<float>(), (std::vector<float>{3, 1, 2}));
  EXPECT_EQ(chunk(ones({3}), INT64_MAX).size(), 3u);
  EXPECT_EQ(split(expand(one(), {INT64_MAX}), half).size(), 2u);
  EXPECT_EQ(eye(0, INT64_MAX).shape(), (Shape{0, INT64_MAX}));
  EXPECT_EQ(arange(INT64_MIN, INT64_MAX, half).numel(), 4);
}

/// Window and stride may be far larger than the image.
TEST(HugeSizes, OfWindowsCostNothing) {
  const Tensor x = reshape(arange(0, 6, 1, {.dtype = float32}), {1, 1, 1, 6});
  const Tensor all = max_pool2d(x, {.kernel = {1, half}, .stride = 1, .padding = {0, quarter}});
  EXPECT_EQ(all.shape(), (Shape{1, 1, 1, 7}));
  EXPECT_EQ(max(all).item<float>(), 5);
  EXPECT_EQ(max_pool2d(x, {.kernel = 1, .stride = INT64_MAX}).to_vector<float>(), std::vector<float>{0});
  EXPECT_EQ(avg_pool2d(x, {.kernel = {1, half}, .stride = 1, .padding = {0, quarter}, .count_include_pad = false})
                .to_vector<float>()[3],
            2.5f);
}

TEST(HugeSizes, TrimmedWindowsSeeTheSameElements) {
  const auto seen = [](const detail::PoolAxis& axis, std::int64_t window) {
    std::vector<std::int64_t> places;
    for (std::int64_t k = 0; k < axis.kernel; ++k)
      if (axis.is_inside(axis.source(window, k))) places.push_back(axis.source(window, k));
    return places;
  };
  for (std::int64_t size = 1; size < 6; ++size)
    for (std::int64_t kernel = 1; kernel < 8; ++kernel)
      for (std::int64_t stride = 1; stride < 4; ++stride)
        for (std::int64_t dilation = 1; dilation < 4; ++dilation)
          for (std::int64_t padding = 0; padding <= (dilation * (kernel - 1) + 1) / 2; ++padding)
            for (const bool ceil : {false, true}) {
              if (size + 2 * padding < dilation * (kernel - 1) + 1) continue;
              const auto axis =
                  detail::pool_axis("max_pool2d", {1, 1, size, 1}, 2, kernel, stride, padding, dilation, ceil);
              const auto trimmed = axis.trimmed();
              ASSERT_EQ(trimmed.windows, axis.windows);
              ASSERT_LE(trimmed.kernel, axis.kernel);
              for (std::int64_t i = 0; i < axis.windows; ++i)
                ASSERT_EQ(seen(trimmed, i), seen(axis, i))
                    << size << " " << kernel << " " << stride << " " << dilation << " " << padding << " window " << i;
            }
}

}  // namespace
}  // namespace minima::huge_sizes_test
