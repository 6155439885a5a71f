#include "tests/ops/checks/op_cases.h"
#include "tests/ops/pooling/huge_windows.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/pooling/max_pool.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::max_pool2d_test {
namespace {

using namespace test;

std::int64_t windows(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                     std::int64_t dilation, bool ceil_mode) {
  const double room =
      static_cast<double>(size + 2 * padding - dilation * (kernel - 1) - 1) / static_cast<double>(stride);
  auto count = static_cast<std::int64_t>(ceil_mode ? std::ceil(room) : std::floor(room)) + 1;
  if (ceil_mode && (count - 1) * stride >= size + padding) --count;
  return count;
}

/// Values and indices, window by window; NaN counts as largest.
std::vector<Doubles> pooled(const Doubles& x, const MaxPool2dOptions& o) {
  const Shape shape{
      x.shape[0], x.shape[1],
      windows(x.shape[2], o.kernel.height, o.stride.height, o.padding.height, o.dilation.height, o.ceil_mode),
      windows(x.shape[3], o.kernel.width, o.stride.width, o.padding.width, o.dilation.width, o.ceil_mode)};
  Doubles y(shape), places(shape);
  std::size_t next = 0;
  for (std::int64_t plane = 0; plane < shape[0] * shape[1]; ++plane)
    for (std::int64_t i = 0; i < shape[2]; ++i)
      for (std::int64_t j = 0; j < shape[3]; ++j, ++next) {
        y.values[next] = -INFINITY;
        places.values[next] = -1;
        for (std::int64_t a = 0; a < o.kernel.height; ++a)
          for (std::int64_t b = 0; b < o.kernel.width; ++b) {
            const std::int64_t row = i * o.stride.height - o.padding.height + a * o.dilation.height;
            const std::int64_t column = j * o.stride.width - o.padding.width + b * o.dilation.width;
            if (row < 0 || row >= x.shape[2] || column < 0 || column >= x.shape[3]) continue;
            const std::int64_t place = row * x.shape[3] + column;
            const double value = x.values[static_cast<std::size_t>(plane * x.shape[2] * x.shape[3] + place)];
            if (places.values[next] < 0 || value > y.values[next] || std::isnan(value)) {
              y.values[next] = value;
              places.values[next] = static_cast<double>(place);
            }
          }
      }
  return {y, places};
}

const MaxPool2dOptions all_options[] = {
    {.kernel = 2},
    {.kernel = 3, .stride = 2, .padding = 1},
    {.kernel = {3, 2}, .stride = {1, 3}, .padding = {1, 0}, .dilation = {1, 2}},
    {.kernel = 2, .stride = 2, .padding = 1, .ceil_mode = true},
    {.kernel = 2, .stride = 3, .dilation = 2, .ceil_mode = true},
};

OpCases table() {
  OpCases cases("max_pool2d");
  cases.result_layout(ResultLayout::images).result_dtype(1, always<int64>);
  for (const MaxPool2dOptions& options : all_options) {
    cases
        .on([=](In in) { return max_pool2d(in[0], options); },
            [=](const std::vector<Doubles>& in) { return pooled(in[0], options)[0]; })
        .inputs(distinct({1, 2, 4, 5}))
        .inputs(distinct({2, 1, 5, 6}))
        .inputs(distinct({1, 19, 5, 4}))
        .inputs(distinct({3, 9, 7, 21}))
        .inputs(normal({2, 5, 64, 65}))
        .inputs(normal({0, 2, 4, 5}))
        .inputs(given({1, 1, 4, 5},
                      {NAN,      1, -INFINITY, -INFINITY, -INFINITY, 2, 3,        -INFINITY, -INFINITY, -INFINITY,
                       INFINITY, 0, 1,         NAN,       2,         5, INFINITY, 1,         3,         NAN})
                    .constant());
    cases
        .on(
            [=](In in) {
              const ValuesAndIndices found = max_pool2d_with_indices(in[0], options);
              return std::vector<Tensor>{found.values, found.indices};
            },
            [=](const std::vector<Doubles>& in) { return pooled(in[0], options); }, "with indices")
        .inputs(distinct({1, 2, 4, 5}))
        .inputs(distinct({3, 9, 7, 21}));
  }
  cases.undefined([](const Tensor& none) { max_pool2d(none, 2); })
      .with(huge_windows([](const Tensor& x, const MaxPool1dOptions& o) { max_pool2d(unsqueeze(x, 3), of_images(o)); }))
      .recorded("max_pool2d", "lambda x: F.max_pool2d(x, 3, 2, 1)",
                [](In in) { return max_pool2d(in[0], {.kernel = 3, .stride = 2, .padding = 1}); })
      .error<ShapeError>([] { max_pool2d(sized({8, 8}), {.kernel = 2}); },
                         "max_pool2d: x must be [N, C, H, W] or [C, H, W], got [8, 8]")
      .error<ShapeError>(
          [] { max_pool2d(sized({1, 3, 8, 2}), {.kernel = 3}); },
          "max_pool2d: a kernel that spans 3 is larger than dimension -1 of x [1, 3, 8, 2] with padding 0")
      .error<ValueError>(
          [] { max_pool2d(sized({1, 3, 8, 8}), {.kernel = 2, .padding = 2}); },
          "max_pool2d: padding must be between 0 and half the kernel, got padding 2 for a kernel that spans 2")
      .error<ValueError>([] { max_pool2d(sized({1, 3, 8, 8}), {.kernel = 2, .stride = 0}); },
                         "max_pool2d: kernel, stride and dilation must be at least 1, got 2, 0 and 1")
      .error<DTypeError>([] { max_pool2d(sized({1, 3, 8, 8}, int64), {.kernel = 2}); },
                         "max_pool2d: needs a floating tensor, got int64 [1, 3, 8, 8]; convert it with to()");
  return cases;
}
[[maybe_unused]] const bool cases =
    table()
        .error<ValueError>([] { max_pool2d(empty({1, 3, 8, 8}), {.kernel = 0}); },
                           "max_pool2d: kernel, stride and dilation must be at least 1, got 0, 0 and 1")
        .error<ValueError>([] { max_pool2d(empty({1, 3, 8, 8}), {.kernel = 2, .dilation = 0}); },
                           "max_pool2d: kernel, stride and dilation must be at least 1, got 2, 2 and 0")
        .check();

TEST(MaxPool2d, GivesTheGradientToTheFirstOfEqualElements) {
  const Tensor x = from_vector<float>({1, 1, 1, 1}, {1, 1, 2, 2}).requires_grad(true);
  max_pool2d(x, {.kernel = 2}).backward(from_vector<float>({3}, {1, 1, 1, 1}));
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{3, 0, 0, 0}));
}

TEST(MaxPool2d, AddsTheGradientsOfWindowsThatShareTheirLargest) {
  const Tensor x = from_vector<float>({0, 0, 0, 0, 9, 0, 0, 0, 0}, {1, 1, 3, 3}).requires_grad(true);
  sum(max_pool2d(x, {.kernel = 2, .stride = 1})).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{0, 0, 0, 0, 4, 0, 0, 0, 0}));
}

TEST(MaxPool2d, OfAWindowWithoutElementsIsMinusInfinityWithoutGradient) {
  // The only window along a dimension of size 2 covers -1 and 2, which are both outside.
  const Tensor x = from_vector<float>({1, 2, 3, 4}, {1, 1, 2, 2}).requires_grad(true);
  const Tensor y = max_pool2d(x, {.kernel = 2, .padding = 1, .dilation = 3});
  EXPECT_EQ(y.to_vector<float>(), std::vector<float>{-INFINITY});
  sum(y).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), std::vector<float>(4, 0));
}

[[maybe_unused]] const bool max_pool2d_with_indices_calls =
    FunctionCases("max_pool2d_with_indices")
        .with(huge_windows(
            [](const Tensor& x, const MaxPool1dOptions& o) { max_pool2d_with_indices(unsqueeze(x, 2), of_images(o)); }))
        .undefined([](const Tensor& none) { max_pool2d_with_indices(none, {.kernel = 2}); })
        .check();

}  // namespace
}  // namespace minima::max_pool2d_test
