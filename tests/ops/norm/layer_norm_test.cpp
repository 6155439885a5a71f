#include "tests/ops/checks/op_cases.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/norm/layer_norm.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::layer_norm_test {
namespace {

using namespace test;

/// Over rows of n elements, with optional weight and bias.
auto reference(std::int64_t n) {
  return [=](const std::vector<Doubles>& in) {
    Doubles y = in[0];
    const auto size = static_cast<std::size_t>(n);
    for (std::size_t row = 0; row * size < y.values.size(); ++row) {
      double* v = y.values.data() + row * size;
      double mean = 0, var = 0;
      for (std::size_t i = 0; i < size; ++i) mean += v[i] / static_cast<double>(n);
      for (std::size_t i = 0; i < size; ++i) var += (v[i] - mean) * (v[i] - mean) / static_cast<double>(n);
      for (std::size_t i = 0; i < size; ++i) {
        v[i] = (v[i] - mean) / std::sqrt(var + 1e-5);
        if (in.size() > 1) v[i] = v[i] * in[1].values[i] + in[2].values[i];
      }
    }
    return y;
  };
}

[[maybe_unused]] const bool layer_norm_cases =
    OpCases("layer_norm")
        .autocast("float32")
        .result_layout(ResultLayout::row_major)
        .tolerance(6)
        .gradient_cancels()
        .optional_input(1)
        .optional_input(2)
        .on([](In in) { return layer_norm(in[0], {7}, in[1], in[2]); }, reference(7), "{7}")
        .inputs(normal({4, 7}), normal({7}), normal({7}))
        .inputs(normal({7}), normal({7}), normal({7}))
        .inputs(normal({0, 7}), normal({7}), normal({7}))
        .on([](In in) { return layer_norm(in[0], {3, 4}, in[1], in[2]); }, reference(12), "{3, 4}")
        .inputs(normal({2, 2, 3, 4}), normal({3, 4}), normal({3, 4}))
        .on([](In in) { return layer_norm(in[0], {500}, in[1], in[2]); }, reference(500), "{500}")
        .inputs(normal({300, 500}), normal({500}), normal({500}))
        // A GPU has several warps for each row of these, the second in packs.
        .on([](In in) { return layer_norm(in[0], {139}, in[1], in[2]); }, reference(139), "{139}")
        .inputs(normal({2, 139}), normal({139}), normal({139}))
        .on([](In in) { return layer_norm(in[0], {144}, in[1], in[2]); }, reference(144), "{144}")
        .inputs(normal({2, 144}), normal({144}), normal({144}))
        .on([](In in) { return layer_norm(in[0], {5}); }, reference(5), "plain")
        .inputs(normal({2, 3, 5}))
        .huge([](auto v) { layer_norm(ones({2, 3, 4}), {v}); })
        .huge([](auto v) { layer_norm(ones({2, 3, 4}), {v, v}); })
        .recorded("layer_norm", "lambda x, w, b: F.layer_norm(x, (4,), w, b)",
                  [](In in) { return layer_norm(in[0], {4}, in[1], in[2]); })
        .error<ShapeError>([] { layer_norm(zeros({2, 3}), {4}); },
                           "layer_norm: x float32 [2, 3] must end in normalized_shape [4], of at least one dimension")
        .error<ShapeError>([] { layer_norm(zeros({2, 3}), {}); },
                           "layer_norm: x float32 [2, 3] must end in normalized_shape [], of at least one dimension")
        .error<ShapeError>([] { layer_norm(zeros({2, 3}), {3}, zeros({2})); },
                           "layer_norm: weight must have normalized_shape [3], got float32 [2]")
        .error<DTypeError>([] { layer_norm(zeros({2, 3}), {3}, zeros({3}, {.dtype = int64})); },
                           "layer_norm: weight must be floating, got int64 [3]; convert it with to()")
        .error<DTypeError>([] { layer_norm(zeros({2, 3}, {.dtype = DType::int64}), {3}); },
                           "layer_norm: x must be floating, got int64 [2, 3]; convert it with to()")
        .error<ShapeError>([] { layer_norm(empty({2, 3}), {3}, {}, empty({2})); },
                           "layer_norm: bias must have normalized_shape [3], got float32 [2]")
        .error<ShapeError>([] { layer_norm(empty({3}), {2, 3}); },
                           "layer_norm: x float32 [3] must end in normalized_shape [2, 3], of at least one dimension")
        .check();

TEST(LayerNorm, TakesAWeightWithoutBiasAndFloatWeightsForHalves) {
  const Tensor x = from_vector<float>({1, 2, 3, 4}, {1, 4}), w = full({4}, 2);
  const Tensor plain = layer_norm(x, {4}), scaled = layer_norm(x, {4}, w);
  EXPECT_EQ((plain * 2).to_vector<float>(), scaled.to_vector<float>());
  const Tensor half = layer_norm(x.to(float16), {4}, w);
  EXPECT_EQ(half.dtype(), float16);
  EXPECT_NEAR(half.to_vector<float>()[0], scaled.to_vector<float>()[0], 2e-3);
}

TEST(LayerNorm, IsExactFarFromZero) {
  const Tensor x = from_vector<float>({10000, 10001, 10002, 10003}, {1, 4});
  EXPECT_NEAR(layer_norm(x, {4}).to_vector<float>()[0], -1.5 / std::sqrt(1.25), 1e-4);
}

TEST(LayerNorm, DoesNotDependOnTheNumberOfThreads) {
  const int before = num_threads();
  const auto values = [](int threads) {
    set_num_threads(threads);
    RandomGenerator generator(5);
    Tensor x = randn({3000, 40}, {}, &generator).requires_grad(true),
           w = randn({40}, {}, &generator).requires_grad(true);
    const Tensor y = layer_norm(x, {40}, w, w);
    y.backward(x.detach());
    std::vector<float> all = y.to_vector<float>();
    for (const Tensor& g : {x.grad(), w.grad()})
      for (const float v : g.to_vector<float>()) all.push_back(v);
    return all;
  };
  EXPECT_EQ(values(1), values(3));
  set_num_threads(before);
}

/// {x + residual, normalized} over rows of n elements.
auto added_reference(std::int64_t n) {
  return [=](const std::vector<Doubles>& in) {
    std::vector<Doubles> out{in[0], in[0]};
    const auto size = static_cast<std::size_t>(n);
    for (std::size_t i = 0; i < in[0].values.size(); ++i) out[0].values[i] += in[1].values[i];
    for (std::size_t row = 0; row * size < out[0].values.size(); ++row) {
      const double* const x = out[0].values.data() + row * size;
      double* const y = out[1].values.data() + row * size;
      double mean = 0, var = 0;
      for (std::size_t i = 0; i < size; ++i) mean += x[i] / static_cast<double>(n);
      for (std::size_t i = 0; i < size; ++i) var += (x[i] - mean) * (x[i] - mean) / static_cast<double>(n);
      for (std::size_t i = 0; i < size; ++i) {
        y[i] = (x[i] - mean) / std::sqrt(var + 1e-5);
        if (in.size() > 2) y[i] = y[i] * in[2].values[i] + in[3].values[i];
      }
    }
    return out;
  };
}

std::vector<Tensor> both(SumAndNorm result) { return {result.sum, result.normalized}; }

[[maybe_unused]] const bool cases =
    OpCases("add_layer_norm")
        .autocast("float32")
        .result_layout(ResultLayout::row_major)
        .tolerance(6)
        .gradient_cancels()
        .optional_input(2)
        .optional_input(3)
        .on([](In in) { return both(add_layer_norm(in[0], in[1], {7}, in[2], in[3])); }, added_reference(7), "{7}")
        .inputs(normal({4, 7}), normal({4, 7}), normal({7}), normal({7}))
        .inputs(normal({1, 7}), normal({1, 7}), normal({7}), normal({7}))
        .inputs(normal({0, 7}), normal({0, 7}), normal({7}), normal({7}))
        .on([](In in) { return both(add_layer_norm(in[0], in[1], {500}, in[2], in[3])); }, added_reference(500),
            "{500}")
        .inputs(normal({300, 500}), normal({300, 500}), normal({500}), normal({500}))
        .on([](In in) { return both(add_layer_norm(in[0], in[1], {5})); }, added_reference(5), "plain")
        .inputs(normal({2, 3, 5}), normal({2, 3, 5}))
        .huge([](auto v) { add_layer_norm(ones({2, 3, 4}), ones({2, 3, 4}), {v}); })
        .error<ShapeError>(
            [] { add_layer_norm(zeros({2, 3}), zeros({2, 3}), {4}); },
            "add_layer_norm: x float32 [2, 3] must end in normalized_shape [4], of at least one dimension")
        .error<ShapeError>(
            [] { add_layer_norm(zeros({2, 3}), zeros({3}), {3}); },
            "add_layer_norm: x and residual must have the same shape, got float32 [2, 3] and float32 [3]")
        .error<ShapeError>([] { add_layer_norm(zeros({2, 3}), zeros({2, 3}), {3}, zeros({2})); },
                           "add_layer_norm: weight must have normalized_shape [3], got float32 [2]")
        .error<DTypeError>(
            [] { add_layer_norm(empty({2, 3}), empty({2, 3}, {.dtype = DType::float64}), {3}); },
            "add_layer_norm: x and residual must have one floating dtype, or x a half type and residual float32, got "
            "float32 [2, 3] and float64 [2, 3]")
        .error<DTypeError>(
            [] { add_layer_norm(zeros({2, 3}, {.dtype = DType::int64}), zeros({2, 3}, {.dtype = DType::int64}), {3}); },
            "add_layer_norm: x and residual must have one floating dtype, or x a half type and residual float32, got "
            "int64 [2, 3] and int64 [2, 3]")
        .check();

TEST(AddLayerNorm, EqualsTheTwoStepsAndSoDoGradientsOfEitherResult) {
  RandomGenerator numbers(1);
  const auto input = [&](const Shape& shape) { return randn(shape, {.dtype = float64}, &numbers).requires_grad(true); };
  const Tensor x = input({6, 9}), r = input({6, 9}), w = input({9}), b = input({9});
  const auto fused = add_layer_norm(x, r, {9}, w, b);
  const Tensor sum = x + r, normalized = layer_norm(sum, {9}, w, b);
  EXPECT_TRUE(allclose(fused.sum.detach(), sum.detach()));
  EXPECT_TRUE(allclose(fused.normalized.detach(), normalized.detach()));
  const Tensor gs = randn({6, 9}, {.dtype = float64}, &numbers), gn = randn({6, 9}, {.dtype = float64}, &numbers);
  const auto compare = [&](const std::vector<Tensor>& ys, const std::vector<Tensor>& zs,
                           const std::vector<Tensor>& gs) {
    const auto a = grad(ys, {x, r}, gs, {.retain_graph = true}), c = grad(zs, {x, r}, gs, {.retain_graph = true});
    EXPECT_TRUE(allclose(a[0], c[0])) << allclose(a[0], c[0]).message;
    EXPECT_TRUE(allclose(a[1], c[1]));
  };
  compare({fused.sum}, {sum}, {gs});
  compare({fused.normalized}, {normalized}, {gn});
  compare({fused.sum, fused.normalized}, {sum, normalized}, {gs, gn});
}

TEST(AddLayerNorm, GradientsOfRowsWithoutVarianceIgnoreTheRoundingOfTheSum) {
  // The sum, 1.0005, is rounded to 1 in both half types, and so is the row that the gradient reads.
  for (const DType dtype : {bfloat16, float16}) {
    const Tensor x = ones({1, 8}, {.dtype = dtype}).requires_grad(true);
    const Tensor residual = full({1, 8}, dtype == bfloat16 ? 0.003 : 0.0004, {.dtype = dtype});
    const Tensor g = from_vector<float>({1, 2, 3, 4, 5, 6, 7, 8}, {1, 8}).to(dtype);
    const auto [sum, normalized] = add_layer_norm(x, residual, {8});
    const auto slope = grad({normalized}, {x}, {g})[0].to(float32).to_vector<float>();
    for (std::size_t i = 0; i < 8; ++i) {
      const double expected = (static_cast<double>(i + 1) - 4.5) / std::sqrt(1e-5);
      EXPECT_NEAR(slope[i], expected, 0.01 * std::abs(expected) + 1) << i;
    }
  }
}

}  // namespace
}  // namespace minima::layer_norm_test
