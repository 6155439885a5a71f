#include "tests/ops/checks/op_cases.h"
#include "tests/ops/pooling/huge_windows.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/index/select.h>
#include <minima/ops/pooling/avg_pool.h>
#include <minima/ops/pooling/max_pool.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace minima::pool1d_test {
namespace {

using namespace test;

/// y[…, i] = f over the elements begin(i) … end(i) - 1 of the last dimension.
template <class B, class E, class F>
Doubles pooled(const Doubles& x, std::int64_t size, B begin, E end, F f) {
  Shape shape = x.shape;
  const int last = shape.rank() - 1;
  shape[last] = size;
  Doubles y(shape);
  each_index(shape, [&](const Shape& at) {
    std::vector<double> window;
    for (std::int64_t i = std::max<std::int64_t>(0, begin(at[last])); i < std::min(end(at[last]), x.shape[last]); ++i) {
      Shape from = at;
      from[last] = i;
      window.push_back(x[from]);
    }
    y[at] = f(window);
  });
  return y;
}
double largest(const std::vector<double>& window) { return *std::max_element(window.begin(), window.end()); }
double average(const std::vector<double>& window) {
  double total = 0;
  for (const double x : window) total += x;
  return total / static_cast<double>(window.size());
}

/// Windows of 3 with stride 2 and padding 1.
template <class F>
auto strided(F f) {
  return [=](const std::vector<Doubles>& in) {
    return pooled(
        in[0], (in[0].shape[2] + 2 - 3) / 2 + 1, [](std::int64_t i) { return 2 * i - 1; },
        [](std::int64_t i) { return 2 * i + 2; }, f);
  };
}
template <class F>
auto adaptive(std::int64_t size, F f) {
  return [=](const std::vector<Doubles>& in) {
    const std::int64_t n = in[0].shape[in[0].shape.rank() - 1];
    return pooled(
        in[0], size, [=](std::int64_t i) { return i * n / size; },
        [=](std::int64_t i) { return ((i + 1) * n + size - 1) / size; }, f);
  };
}
OpCases pooling(OpCases cases) {
  cases.without("hidden", "it is made of other operators");
  return cases;
}
[[maybe_unused]] const bool max_pool1d_cases =
    pooling(OpCases("max_pool1d"))
        .on([](In in) { return max_pool1d(in[0], {.kernel = 3, .stride = 2, .padding = 1}); }, strided(largest))
        .pytorch("lambda x: F.max_pool1d(x, 3, 2, 1)")
        .inputs(distinct({2, 2, 7}))
        .inputs(distinct({0, 2, 7}))
        .inputs(normal({4, 10, 1100}))
        .undefined([](const Tensor& none) { max_pool1d(none, 2); })
        .with(huge_windows([](const Tensor& x, const MaxPool1dOptions& o) { max_pool1d(x, o); }))
        .error<ShapeError>([] { max_pool1d(sized({3}), {.kernel = 2}); },
                           "max_pool1d: x must be [N, C, L] or [C, L], got float32 [3]")
        .error<ShapeError>([] { max_pool1d(empty({1, 2, 8}), {.kernel = 9}); },
                           "max_pool1d: a kernel that spans 9 is larger than the sequences of x float32 [1, 2, 8] with "
                           "padding 0")
        .error<ValueError>([] { max_pool1d(empty({1, 2, 8}), {.kernel = 0}); },
                           "max_pool1d: kernel, stride and dilation must be at least 1, got 0, 0 and 1")
        .error<ValueError>([] { max_pool1d(empty({1, 2, 8}), {.kernel = 2, .padding = 2}); },
                           "max_pool1d: padding must be between 0 and half the kernel, got padding 2 for a kernel that "
                           "spans 2")
        .error<DTypeError>([] { max_pool1d(zeros({1, 2, 8}, {.dtype = DType::int64}), {.kernel = 2}); },
                           "max_pool1d: needs a floating tensor, got int64 [1, 2, 8]; convert it with to()")
        .check();

[[maybe_unused]] const bool avg_pool1d_cases =
    pooling(OpCases("avg_pool1d"))
        .on(
            [](In in) {
              return avg_pool1d(in[0], {.kernel = 3, .stride = 2, .padding = 1, .count_include_pad = false});
            },
            strided(average))
        .contraction(3)
        .inputs(normal({2, 2, 7}))
        .inputs(normal({0, 2, 7}))
        .inputs(normal({4, 10, 1100}))
        .undefined([](const Tensor& none) { avg_pool1d(none, 2); })
        .with(huge_windows([](const Tensor& x, const MaxPool1dOptions& o) {
          avg_pool1d(x, {.kernel = o.kernel, .stride = o.stride, .padding = o.padding, .ceil_mode = o.ceil_mode});
        }))
        .recorded("avg_pool1d", "lambda x: F.avg_pool1d(x, 3, 2, 1)",
                  [](In in) { return avg_pool1d(in[0], {.kernel = 3, .stride = 2, .padding = 1}); })
        .error<ShapeError>([] { avg_pool1d(sized({3}), {.kernel = 2}); },
                           "avg_pool1d: x must be [N, C, L] or [C, L], got float32 [3]")
        .error<ShapeError>([] { avg_pool1d(empty({1, 1, 2, 8}), {.kernel = 2}); },
                           "avg_pool1d: x must be [N, C, L] or [C, L], got float32 [1, 1, 2, 8]")
        .error<ShapeError>([] { avg_pool1d(empty({1, 2, 8}), {.kernel = 9}); },
                           "avg_pool1d: a kernel that spans 9 is larger than the sequences of x float32 [1, 2, 8] with "
                           "padding 0")
        .error<ValueError>([] { avg_pool1d(empty({1, 2, 8}), {.kernel = 2, .stride = 0}); },
                           "avg_pool1d: kernel, stride and dilation must be at least 1, got 2, 0 and 1")
        .error<DTypeError>([] { avg_pool1d(zeros({1, 2, 8}, {.dtype = DType::int64}), {.kernel = 2}); },
                           "avg_pool1d: needs a floating tensor, got int64 [1, 2, 8]; convert it with to()")
        .check();

[[maybe_unused]] const bool adaptive_avg_pool1d_cases =
    pooling(OpCases("adaptive_avg_pool1d"))
        .on([](In in) { return adaptive_avg_pool1d(in[0], 3); }, adaptive(3, average))
        .pytorch("lambda x: F.adaptive_avg_pool1d(x, 3)")
        .contraction(400)
        .inputs(normal({2, 2, 7}))
        .inputs(normal({1, 2, 2}))
        .inputs(normal({0, 2, 7}))
        .inputs(normal({4, 10, 1100}))
        .huge([](auto v) { adaptive_avg_pool1d(ones({2, 4, 6}), v); })
        .huge([](auto v) { adaptive_avg_pool1d(ones({0, 4, 6}), v); })
        .error<ShapeError>([] { adaptive_avg_pool1d(sized({3}), 2); },
                           "adaptive_avg_pool1d: x must be [N, C, L] or [C, L], got float32 [3]")
        .error<ValueError>([] { adaptive_avg_pool1d(empty({1, 2, 8}), 0); },
                           "adaptive_avg_pool1d: the size must be positive, got 0")
        .error<DTypeError>([] { adaptive_avg_pool1d(zeros({1, 2, 8}, {.dtype = DType::int64}), 2); },
                           "adaptive_avg_pool1d: needs a floating tensor, got int64 [1, 2, 8]; convert it with to()")
        .error<ShapeError>([] { adaptive_avg_pool1d(empty({1, 2, 0}), 2); },
                           "adaptive_avg_pool1d: x float32 [1, 2, 0] has no elements to pool")
        .error<ShapeError>([] { adaptive_avg_pool1d(empty({8}), 2); },
                           "adaptive_avg_pool1d: x must be [N, C, L] or [C, L], got float32 [8]")
        .check();

[[maybe_unused]] const bool adaptive_max_pool1d_cases =
    pooling(OpCases("adaptive_max_pool1d"))
        .on([](In in) { return adaptive_max_pool1d(in[0], 3); }, adaptive(3, largest))
        .pytorch("lambda x: F.adaptive_max_pool1d(x, 3)")
        .inputs(distinct({2, 2, 7}))
        .inputs(distinct({1, 2, 2}))
        .inputs(distinct({0, 2, 7}))
        .inputs(normal({4, 10, 1100}))
        .huge([](auto v) { adaptive_max_pool1d(ones({2, 4, 6}), v); })
        .huge([](auto v) { adaptive_max_pool1d(ones({0, 4, 6}), v); })
        .error<DTypeError>([] { adaptive_max_pool1d(sized({1, 2, 3}, int64), 2); },
                           "adaptive_max_pool1d: needs a floating tensor, got int64 [1, 2, 3]; convert it with to()")
        .error<ValueError>([] { adaptive_max_pool1d(sized({1, 2, 3}), 0); },
                           "adaptive_max_pool1d: the size must be positive, got 0")
        .error<ShapeError>([] { adaptive_max_pool1d(empty({8}), 2); },
                           "adaptive_max_pool1d: x needs at least 2 dimensions, got float32 [8]")
        .error<ShapeError>([] { adaptive_max_pool1d(empty({1, 2, 0}), 2); },
                           "adaptive_max_pool1d: x float32 [1, 2, 0] has no elements to pool")
        .error<DTypeError>([] { adaptive_max_pool1d(zeros({1, 2, 8}, {.dtype = DType::int64}), 2); },
                           "adaptive_max_pool1d: needs a floating tensor, got int64 [1, 2, 8]; convert it with to()")
        .check();

[[maybe_unused]] const bool adaptive_max_pool2d_cases =
    pooling(OpCases("adaptive_max_pool2d"))
        .on([](In in) { return adaptive_max_pool2d(in[0], {2, 3}); },
            [](const std::vector<Doubles>& in) {
              const Shape& shape = in[0].shape;
              Doubles y({shape[0], shape[1], 2, 3});
              each_index(y.shape, [&](const Shape& at) {
                double best = -INFINITY;
                for (std::int64_t i = at[2] * shape[2] / 2; i < ((at[2] + 1) * shape[2] + 1) / 2; ++i)
                  for (std::int64_t j = at[3] * shape[3] / 3; j < ((at[3] + 1) * shape[3] + 2) / 3; ++j)
                    best = std::max(best, in[0][{at[0], at[1], i, j}]);
                y[at] = best;
              });
              return y;
            })
        .pytorch("lambda x: F.adaptive_max_pool2d(x, (2, 3))")
        .inputs(distinct({1, 2, 5, 4}))
        .inputs(distinct({0, 2, 5, 4}))
        .inputs(normal({3, 10, 37, 40}))
        .huge([](auto v) { adaptive_max_pool2d(ones({2, 4, 5, 6}), {2, v}); })
        .huge([](auto v) { adaptive_max_pool2d(ones({0, 4, 5, 6}), v); })
        .error<ShapeError>([] { adaptive_max_pool2d(sized({2, 3}), 2); },
                           "adaptive_max_pool2d: x needs at least 3 dimensions, got float32 [2, 3]")
        .error<ShapeError>([] { adaptive_max_pool2d(empty({2, 8}), 2); },
                           "adaptive_max_pool2d: x needs at least 3 dimensions, got float32 [2, 8]")
        .error<ValueError>([] { adaptive_max_pool2d(empty({2, 8, 8}), {0, 2}); },
                           "adaptive_max_pool2d: the size must be positive, got 0")
        .error<ShapeError>([] { adaptive_max_pool2d(empty({2, 0, 8}), 2); },
                           "adaptive_max_pool2d: x float32 [2, 0, 8] has no elements to pool")
        .error<DTypeError>([] { adaptive_max_pool2d(zeros({2, 8, 8}, {.dtype = DType::int64}), 2); },
                           "adaptive_max_pool2d: needs a floating tensor, got int64 [2, 8, 8]; convert it with to()")
        .check();

[[maybe_unused]] const bool adaptive_max_pool1d_with_indices_cases =
    pooling(OpCases("adaptive_max_pool1d_with_indices"))
        .without("large", "adaptive_max_pool1d has them")
        .on([](In in) { return adaptive_max_pool1d_with_indices(in[0], 3).values; }, adaptive(3, largest))
        .inputs(distinct({2, 2, 7}))
        .inputs(distinct({0, 2, 7}))
        .huge([](auto v) { adaptive_max_pool1d_with_indices(zeros({1, 2, 4}), v); })
        .error<ValueError>([] { adaptive_max_pool1d_with_indices(sized({1, 2, 3}), 0); },
                           "adaptive_max_pool1d_with_indices: the size must be positive, got 0")
        .error<DTypeError>([] { adaptive_max_pool1d_with_indices(sized({1, 2, 3}, int64), 2); },
                           "adaptive_max_pool1d_with_indices: needs a floating tensor, got int64 [1, 2, 3]; convert it "
                           "with to()")
        .check();

/// The value at each position is the maximum, and of equal ones the first in row-major order is taken.
TEST(AdaptiveMaxPool2d, TellsWhereTheMaximaAre) {
  const Tensor x = randn({2, 3, 7, 5});
  const auto [values, indices] = adaptive_max_pool2d_with_indices(x, {3, 2});
  EXPECT_TRUE(identical(values, adaptive_max_pool2d(x, {3, 2})));
  EXPECT_TRUE(identical(gather(flatten(x, 2), 2, flatten(indices, 2)), flatten(values, 2)));
  EXPECT_EQ(adaptive_max_pool2d_with_indices(ones({1, 4, 4}), 2).indices.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, 2, 8, 10}));
}

[[maybe_unused]] const bool adaptive_max_pool2d_with_indices_cases =
    pooling(OpCases("adaptive_max_pool2d_with_indices"))
        .without("large", "adaptive_max_pool2d has them")
        .on([](In in) { return adaptive_max_pool2d_with_indices(in[0], {1, 1}).values; },
            [](const std::vector<Doubles>& in) {
              const Shape& shape = in[0].shape;
              Doubles y({shape[0], shape[1], 1, 1});
              std::fill(y.values.begin(), y.values.end(), -INFINITY);
              each_index(shape, [&](const Shape& at) {
                double& best = y[{at[0], at[1], 0, 0}];
                best = std::max(best, in[0][at]);
              });
              return y;
            })
        .inputs(distinct({1, 2, 5, 4}))
        .inputs(distinct({0, 2, 5, 4}))
        .huge([](auto v) { adaptive_max_pool2d_with_indices(zeros({1, 2, 4, 4}), {2, v}); })
        .error<ShapeError>([] { adaptive_max_pool2d_with_indices(sized({2, 3}), 2); },
                           "adaptive_max_pool2d_with_indices: x needs at least 3 dimensions, got float32 [2, 3]")
        .error<ValueError>([] { adaptive_max_pool2d_with_indices(sized({2, 8, 8}), {0, 2}); },
                           "adaptive_max_pool2d_with_indices: the size must be positive, got 0")
        .error<DTypeError>([] { adaptive_max_pool2d_with_indices(sized({2, 8, 8}, int64), 2); },
                           "adaptive_max_pool2d_with_indices: needs a floating tensor, got int64 [2, 8, 8]; convert it "
                           "with to()")
        .check();

[[maybe_unused]] const bool max_pool1d_with_indices_calls =
    FunctionCases("max_pool1d_with_indices")
        .with(huge_windows([](const Tensor& x, const MaxPool1dOptions& o) { max_pool1d_with_indices(x, o); }))
        .undefined([](const Tensor& none) { max_pool1d_with_indices(none, {.kernel = 2}); })
        .check();

}  // namespace
}  // namespace minima::pool1d_test
