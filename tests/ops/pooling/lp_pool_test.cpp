#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/pooling/lp_pool.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::lp_pool_test {
namespace {

using namespace test;

/// Windows of `kernel` elements along each of the last dimensions, next to each other.
auto norms(int spatial, std::int64_t kernel, double p) {
  return [=](const std::vector<Doubles>& in) {
    Shape shape = in[0].shape, window;
    for (int d = shape.rank() - spatial; d < shape.rank(); ++d) shape[d] /= kernel, window.push_back(kernel);
    Doubles y(shape);
    if (numel(shape) == 0) return y;
    each_index(shape, [&](const Shape& at) {
      double sum = 0;
      each_index(window, [&](const Shape& tap) {
        Shape from = at;
        for (int d = 0; d < spatial; ++d) {
          const int dim = shape.rank() - spatial + d;
          from[dim] = at[dim] * kernel + tap[d];
        }
        sum += std::pow(in[0][from], p);
      });
      y[at] = std::pow(sum, 1 / p);
    });
    return y;
  };
}

OpCases pooling(const char* name, const char* means) {
  OpCases cases(name);
  cases.also_calls(means).without("hidden", "it is made of other operators");
  return cases;
}

[[maybe_unused]] const bool lp_pool1d_cases =
    pooling("lp_pool1d", "avg_pool1d")
        .on([](In in) { return lp_pool1d(in[0], 3, {.kernel = 2}); }, norms(1, 2, 3), "p 3")
        .pytorch("lambda x: F.lp_pool1d(x, 3., 2)")
        .inputs(uniform({2, 3, 5}, 0.5, 2))
        .inputs(uniform({0, 3, 5}, 0.5, 2))
        .inputs(uniform({4, 10, 1100}, 0.5, 2))
        .huge([](auto v) { lp_pool1d(ones({1, 1, 4}), 2, {.kernel = v}); })
        .huge([](auto v) { lp_pool1d(ones({1, 1, 4}), 2, {.kernel = 2, .stride = v}); })
        .error<ValueError>([] { lp_pool1d(ones({1, 1, 4}), 0, {.kernel = 2}); },
                           "lp_pool1d: p must be positive and finite, got 0")
        .error<ShapeError>([] { lp_pool1d(ones({4}), 2, {.kernel = 2}); },
                           "avg_pool1d: x must be [N, C, L] or [C, L], got float32 [4]")
        .error<DTypeError>([] { lp_pool1d(ones({1, 1, 4}, {.dtype = int64}), 2, {.kernel = 2}); },
                           "lp_pool1d: needs a floating tensor, got int64 [1, 1, 4]; convert it with to()")
        .check();

[[maybe_unused]] const bool lp_pool2d_cases =
    pooling("lp_pool2d", "avg_pool2d")
        .on([](In in) { return lp_pool2d(in[0], 2, {.kernel = 2}); }, norms(2, 2, 2), "p 2")
        .pytorch("lambda x: F.lp_pool2d(x, 2., 2)")
        .inputs(uniform({2, 3, 4, 5}, 0.5, 2))
        .inputs(uniform({0, 3, 4, 5}, 0.5, 2))
        .inputs(uniform({4, 10, 40, 30}, 0.5, 2))
        .huge([](auto v) { lp_pool2d(ones({1, 1, 4, 4}), 2, {.kernel = v}); })
        .huge([](auto v) { lp_pool2d(ones({1, 1, 4, 4}), 2, {.kernel = 2, .stride = v}); })
        .error<ValueError>([] { lp_pool2d(ones({1, 1, 4, 4}), INFINITY, {.kernel = 2}); },
                           "lp_pool2d: p must be positive and finite, got inf")
        .error<ShapeError>([] { lp_pool2d(ones({4}), 2, {.kernel = 2}); },
                           "avg_pool2d: x must be [N, C, H, W] or [C, H, W], got [4]")
        .error<DTypeError>([] { lp_pool2d(ones({1, 1, 4, 4}, {.dtype = int64}), 2, {.kernel = 2}); },
                           "lp_pool2d: needs a floating tensor, got int64 [1, 1, 4, 4]; convert it with to()")
        .check();

[[maybe_unused]] const bool lp_pool3d_cases =
    pooling("lp_pool3d", "avg_pool3d")
        .on([](In in) { return lp_pool3d(in[0], 1.5, {.kernel = 2}); }, norms(3, 2, 1.5), "p 1.5")
        .pytorch("lambda x: F.lp_pool3d(x, 1.5, 2)")
        .inputs(uniform({2, 2, 2, 4, 5}, 0.5, 2))
        .inputs(uniform({0, 2, 2, 4, 5}, 0.5, 2))
        .inputs(uniform({2, 3, 20, 20, 18}, 0.5, 2))
        .huge([](auto v) { lp_pool3d(ones({1, 1, 4, 4, 4}), 2, {.kernel = v}); })
        .huge([](auto v) { lp_pool3d(ones({1, 1, 4, 4, 4}), 2, {.kernel = 2, .stride = v}); })
        .error<ShapeError>([] { lp_pool3d(ones({4}), 2, {.kernel = 2}); },
                           "avg_pool3d: x must be [N, C, D, H, W] or [C, D, H, W], got float32 [4]")
        .error<DTypeError>([] { lp_pool3d(ones({1, 1, 4, 4, 4}, {.dtype = int64}), 2, {.kernel = 2}); },
                           "lp_pool3d: needs a floating tensor, got int64 [1, 1, 4, 4, 4]; convert it with to()")
        .check();

/// A window that ends outside x counts as a whole one, as in PyTorch: √(9 · 2) for a single 3.
TEST(LpPool, WindowsBeyondTheEndCountAsWhole) {
  const Tensor y = lp_pool1d(full({1, 1, 3}, 3.0), 2, {.kernel = 2, .ceil_mode = true});
  EXPECT_TRUE(allclose(y, full({1, 1, 2}, std::sqrt(18.0))));
}

}  // namespace
}  // namespace minima::lp_pool_test
