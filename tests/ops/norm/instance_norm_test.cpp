#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/norm/instance_norm.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace minima::instance_norm_test {
namespace {

using namespace test;

Doubles normalized(const std::vector<Doubles>& in) {
  const Doubles& x = in[0];
  Doubles y(x.shape);
  if (x.numel() == 0) return y;
  const std::int64_t positions = x.numel() / (x.shape[0] * x.shape[1]);
  for (std::int64_t plane = 0; plane < x.shape[0] * x.shape[1]; ++plane) {
    double total = 0, squares = 0;
    const auto each = [&](auto f) {
      for (std::int64_t i = 0; i < positions; ++i) f(static_cast<std::size_t>(plane * positions + i));
    };
    each([&](std::size_t i) { total += x.values[i]; });
    const double mean = total / static_cast<double>(positions);
    each([&](std::size_t i) { squares += (x.values[i] - mean) * (x.values[i] - mean); });
    const double scale = 1 / std::sqrt(squares / static_cast<double>(positions) + 1e-5);
    const std::int64_t c = plane % x.shape[1];
    const double weight = in.size() > 1 ? in[1][{c}] : 1, bias = in.size() > 2 ? in[2][{c}] : 0;
    each([&](std::size_t i) { y.values[i] = (x.values[i] - mean) * scale * weight + bias; });
  }
  return y;
}

[[maybe_unused]] const bool instance_norm_cases =
    OpCases("instance_norm")
        .autocast("float32")
        .also_calls("group_norm")
        .without("hidden", "it is made of other operators")
        .optional_input(1)
        .optional_input(2)
        .gradient_cancels()
        .tolerance(8)
        .on(
            [](In in) {
              return instance_norm(in[0], {}, {}, in.size() > 1 ? in[1] : Tensor(), in.size() > 2 ? in[2] : Tensor());
            },
            normalized)
        .pytorch("lambda x, w=None, b=None: F.instance_norm(x, None, None, w, b)")
        .inputs(normal({2, 3, 5}))
        .inputs(normal({2, 3, 2, 3}), normal({3}), normal({3}))
        .inputs(normal({1, 2, 2, 2, 3}), normal({2}), normal({2}))
        .inputs(normal({0, 3, 5}))
        .inputs(normal({3, 4, 60, 61}), normal({4}), normal({4}))
        .error<ShapeError>([] { instance_norm(zeros({2, 3})); },
                           "instance_norm: x must be [N, C, d1, …], got float32 [2, 3]")
        .error<ShapeError>(
            [] { instance_norm(zeros({2, 3, 4}), {}, {}, ones({2})); },
            "instance_norm: weight, bias and running statistics must be [3] for x float32 [2, 3, 4], got "
            "float32 [2]")
        .error<ValueError>([] { instance_norm(zeros({2, 3, 1})); },
                           "instance_norm: needs more than one position per channel, got x float32 [2, 3, 1]")
        .error<ValueError>([] { instance_norm(zeros({2, 3, 4}), {}, {}, {}, {}, {.use_input_stats = false}); },
                           "instance_norm: without use_input_stats both running statistics are needed")
        .error<DTypeError>([] { instance_norm(zeros({2, 3, 4}, {.dtype = int64})); },
                           "instance_norm: needs a floating tensor, got int64 [2, 3, 4]; convert it with to()")
        .check();

TEST(InstanceNorm, AveragesTheStatisticsOfAllSamples) {
  const Tensor x = randn({4, 3, 6, 5}, {.dtype = float64});
  const Tensor running_mean = zeros({3}, {.dtype = float64}), running_var = ones({3}, {.dtype = float64});
  instance_norm(x, running_mean, running_var, {}, {}, {.momentum = 0.25});
  EXPECT_TRUE(allclose(running_mean, mean(x, {0, 2, 3}) * 0.25));
  EXPECT_TRUE(allclose(running_var, mean(var(x, {2, 3}), {0}) * 0.25 + 0.75));
  const Tensor y = instance_norm(x, running_mean, running_var, {}, {}, {.use_input_stats = false});
  const Tensor shift = reshape(running_mean, {3, 1, 1}), scale = reshape(running_var, {3, 1, 1});
  EXPECT_TRUE(allclose(y, (x - shift) / sqrt(scale + 1e-5)));
}

auto responses(std::int64_t size, double alpha, double beta, double k) {
  return [=](const std::vector<Doubles>& in) {
    const Doubles& x = in[0];
    Doubles y(x.shape);
    if (x.numel() == 0) return y;
    each_index(x.shape, [&](const Shape& at) {
      double sum = 0;
      for (std::int64_t c = at[1] - size / 2; c <= at[1] + (size - 1) / 2; ++c) {
        if (c < 0 || c >= x.shape[1]) continue;
        Shape from = at;
        from[1] = c;
        sum += x[from] * x[from];
      }
      y[at] = x[at] / std::pow(k + alpha * sum / static_cast<double>(size), beta);
    });
    return y;
  };
}

[[maybe_unused]] const bool local_response_norm_cases =
    OpCases("local_response_norm")
        .autocast("float32")
        .without("hidden", "it is made of other operators")
        .on([](In in) { return local_response_norm(in[0], {.size = 3, .alpha = 0.5, .beta = 0.6, .k = 2}); },
            responses(3, 0.5, 0.6, 2), "size 3")
        .pytorch("lambda x: F.local_response_norm(x, 3, 0.5, 0.6, 2.)")
        .contraction(3)
        .inputs(normal({2, 4, 3}))
        .inputs(normal({2, 2, 2, 3}))
        .inputs(normal({0, 4, 3}))
        .inputs(normal({2, 6, 60, 61}))
        .on([](In in) { return local_response_norm(in[0], {.size = 4}); }, responses(4, 1e-4, 0.75, 1), "size 4")
        .pytorch("lambda x: F.local_response_norm(x, 4)")
        .contraction(4)
        .inputs(normal({1, 6, 2, 1, 2}))
        .huge([](auto v) { local_response_norm(zeros({1, 2, 3}), {.size = v}); })
        .error<ShapeError>([] { local_response_norm(zeros({2, 3}), {.size = 3}); },
                           "local_response_norm: x must be [N, C, d1, …], got float32 [2, 3]")
        .error<ValueError>([] { local_response_norm(zeros({2, 3, 4}), {.size = 0}); },
                           "local_response_norm: size must be at least 1, got 0")
        .error<DTypeError>([] { local_response_norm(zeros({2, 3, 4}, {.dtype = int64}), {.size = 3}); },
                           "local_response_norm: needs a floating tensor, got int64 [2, 3, 4]; convert it with to()")
        .check();

}  // namespace
}  // namespace minima::instance_norm_test
