#include "tests/ops/checks/op_cases.h"
#include "tests/ops/pooling/huge_windows.h"
#include "tests/support/compare.h"
#include "tests/support/sample.h"

#include <minima/autograd/backward.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pooling/avg_pool.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace minima::avg_pool2d_test {
namespace {

using namespace test;

/// PyTorch's definition, window by window: `extent` returns the bounds of window i along a dimension, `divisor` the
/// number of elements to divide by.
struct Extent {
  std::int64_t begin, end, divisor;
};

template <class F>
Doubles pooled(const Doubles& x, std::int64_t height, std::int64_t width, F&& extent) {
  Doubles y({x.shape[0], x.shape[1], height, width});
  std::size_t next = 0;
  for (std::int64_t plane = 0; plane < x.shape[0] * x.shape[1]; ++plane)
    for (std::int64_t i = 0; i < height; ++i)
      for (std::int64_t j = 0; j < width; ++j, ++next) {
        const Extent rows = extent(2, i), columns = extent(3, j);
        for (std::int64_t row = std::max<std::int64_t>(rows.begin, 0); row < std::min(rows.end, x.shape[2]); ++row)
          for (std::int64_t column = std::max<std::int64_t>(columns.begin, 0);
               column < std::min(columns.end, x.shape[3]); ++column)
            y.values[next] += x.values[static_cast<std::size_t>((plane * x.shape[2] + row) * x.shape[3] + column)];
        y.values[next] /= static_cast<double>(rows.divisor * columns.divisor);
      }
  return y;
}

auto reference(const AvgPool2dOptions& o) {
  return [o](const std::vector<Doubles>& in) {
    const auto axis = [&](int dim) {
      struct Axis {
        std::int64_t kernel, stride, padding, size;
      };
      const bool rows = dim == 2;
      return Axis{rows ? o.kernel.height : o.kernel.width, rows ? o.stride.height : o.stride.width,
                  rows ? o.padding.height : o.padding.width, in[0].shape[dim]};
    };
    const auto count = [&](int dim) {
      const auto a = axis(dim);
      const double room = static_cast<double>(a.size + 2 * a.padding - a.kernel) / static_cast<double>(a.stride);
      auto n = static_cast<std::int64_t>(o.ceil_mode ? std::ceil(room) : std::floor(room)) + 1;
      return o.ceil_mode && (n - 1) * a.stride >= a.size + a.padding ? n - 1 : n;
    };
    return pooled(in[0], count(2), count(3), [&](int dim, std::int64_t i) {
      const auto a = axis(dim);
      const std::int64_t begin = i * a.stride - a.padding, end = std::min(begin + a.kernel, a.size + a.padding);
      const std::int64_t inside = std::min(end, a.size) - std::max<std::int64_t>(begin, 0);
      return Extent{begin, end, o.count_include_pad ? end - begin : inside};
    });
  };
}

auto adaptive_reference(Pair size) {
  return [size](const std::vector<Doubles>& in) {
    return pooled(in[0], size.height, size.width, [&](int dim, std::int64_t i) {
      const auto whole = static_cast<double>(in[0].shape[dim]),
                 parts = static_cast<double>(dim == 2 ? size.height : size.width);
      const auto begin = static_cast<std::int64_t>(std::floor(static_cast<double>(i) * whole / parts));
      const auto end = static_cast<std::int64_t>(std::ceil(static_cast<double>(i + 1) * whole / parts));
      return Extent{begin, end, end - begin};
    });
  };
}

OpCases table() {
  OpCases cases("avg_pool2d");
  cases.also_calls("adaptive_avg_pool2d");
  cases.result_layout(ResultLayout::images);
  const auto rows = [&] {
    cases.inputs(normal({1, 2, 4, 5}))
        .inputs(normal({2, 1, 5, 6}))
        .inputs(normal({3, 9, 7, 21}))
        .inputs(normal({2, 5, 64, 65}))
        .inputs(normal({0, 2, 4, 5}));
  };
  for (const bool include : {false, true})
    for (const AvgPool2dOptions& options :
         {AvgPool2dOptions{.kernel = 2}, AvgPool2dOptions{.kernel = 3, .stride = 2, .padding = 1},
          AvgPool2dOptions{.kernel = {3, 2}, .stride = {1, 3}, .padding = {1, 0}},
          AvgPool2dOptions{.kernel = 2, .padding = 1, .ceil_mode = true},
          AvgPool2dOptions{.kernel = {2, 3}, .stride = 3, .ceil_mode = true}}) {
      AvgPool2dOptions chosen = options;
      chosen.count_include_pad = include;
      cases.on([=](In in) { return avg_pool2d(in[0], chosen); }, reference(chosen));
      rows();
    }
  for (const Pair size : {Pair(1), Pair(3, 2), Pair(4, 7)}) {
    cases.on([=](In in) { return adaptive_avg_pool2d(in[0], size); }, adaptive_reference(size), "adaptive");
    rows();
  }
  cases.undefined([](const Tensor& none) { avg_pool2d(none, 2); })
      .with(huge_windows([](const Tensor& x, const MaxPool1dOptions& o) {
        const MaxPool2dOptions w = of_images(o);
        avg_pool2d(unsqueeze(x, 3),
                   {.kernel = w.kernel, .stride = w.stride, .padding = w.padding, .ceil_mode = w.ceil_mode});
      }))
      .recorded("adaptive_avg_pool2d", "lambda x: F.adaptive_avg_pool2d(x, (2, 3))",
                [](In in) { return adaptive_avg_pool2d(in[0], {2, 3}); })
      .recorded("avg_pool2d", "lambda x: F.avg_pool2d(x, 3, 2, 1)",
                [](In in) { return avg_pool2d(in[0], {.kernel = 3, .stride = 2, .padding = 1}); })
      .error<ShapeError>([] { avg_pool2d(sized({8, 8}), {.kernel = 2}); },
                         "avg_pool2d: x must be [N, C, H, W] or [C, H, W], got [8, 8]")
      .error<ValueError>(
          [] { avg_pool2d(sized({1, 3, 8, 8}), {.kernel = 2, .padding = 2}); },
          "avg_pool2d: padding must be between 0 and half the kernel, got padding 2 for a kernel that spans 2")
      .error<DTypeError>([] { avg_pool2d(sized({1, 3, 8, 8}, int64), {.kernel = 2}); },
                         "avg_pool2d: needs a floating tensor, got int64 [1, 3, 8, 8]; convert it with to()")
      .error<ValueError>([] { adaptive_avg_pool2d(sized({1, 3, 8, 8}), {0, 1}); },
                         "adaptive_avg_pool2d: size must be at least 1, got [0, 1]")
      .error<ShapeError>([] { adaptive_avg_pool2d(sized({1, 3, 0, 8}), 1); },
                         "adaptive_avg_pool2d: the images of x [1, 3, 0, 8] are empty");
  return cases;
}
[[maybe_unused]] const bool cases =
    table()
        .error<ValueError>([] { avg_pool2d(empty({1, 3, 8, 8}), {.kernel = 0}); },
                           "avg_pool2d: kernel, stride and dilation must be at least 1, got 0, 0 and 1")
        .error<ValueError>([] { avg_pool2d(empty({1, 3, 8, 8}), {.kernel = 2, .stride = 0}); },
                           "avg_pool2d: kernel, stride and dilation must be at least 1, got 2, 0 and 1")
        .error<ShapeError>([] { avg_pool2d(empty({1, 3, 1, 8}), {.kernel = 2}); },
                           "avg_pool2d: a kernel that spans 2 is larger than dimension -2 of x [1, 3, 1, 8] with "
                           "padding 0")
        .error<ValueError>([] { avg_pool2d(empty({1, 3, 8, 8}), {.kernel = 2, .padding = -1}); },
                           "avg_pool2d: padding must be between 0 and half the kernel, got padding -1 for a kernel "
                           "that spans 2")
        .check();

/// Row-major x, and a channels_last gradient, as after a convolution by a channels_last weight.
TEST(AvgPool2d, TakesGradientsOfAnotherMemoryOrder) {
  for (const DType dtype : {float32, float64, bfloat16}) {
    const Tensor x = test::sample({2, 3, 6, 4}, 1, dtype), rows = test::sample({2, 3, 3, 2}, 2, dtype);
    const auto gradient = [&](const Tensor& g) {
      const Tensor in = leaf(x);
      avg_pool2d(in, {.kernel = 2}).backward(g);
      return in.grad();
    };
    const auto same = compare_bitwise(gradient(channels_last(rows)), gradient(rows));
    EXPECT_TRUE(same) << name(dtype) << ": " << same.message;
  }
}

[[maybe_unused]] const bool adaptive_avg_pool2d_calls =
    FunctionCases("adaptive_avg_pool2d")
        .huge([](auto v) { adaptive_avg_pool2d(ones({2, 4, 5, 6}), {v, 1}); })
        .huge([](auto v) { adaptive_avg_pool2d(ones({0, 4, 5, 6}), v); })
        .undefined([](const Tensor& none) { adaptive_avg_pool2d(none, 1); })
        .check();

}  // namespace
}  // namespace minima::avg_pool2d_test
