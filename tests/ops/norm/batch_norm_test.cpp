#include <minima/ops/norm/batch_norm.h>

#include "tests/ops/checks/op_cases.h"
#include "tests/support/device.h"
#include "tests/support/sample.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/error.h>

#include <cmath>

namespace minima::batch_norm_test {
namespace {

using namespace test;

struct Case {
  Tensor x, weight, bias, mean, var;
  explicit Case(const Shape& shape, DType dtype = float64)
      : x(sample(shape, 3, dtype)),
        weight(sample({shape[1]}, 4)),
        bias(sample({shape[1]}, 5)),
        mean(sample({shape[1]}, 6)),
        var(sample({shape[1]}, 7) + 3.0) {}
  Tensor run(const Tensor& input, bool training) const {
    return batch_norm(input, weight, bias, mean, var, {.training = training});
  }
};

/// The definition, from row-major x, with x's moments per channel in training and the running ones otherwise.
struct Reference {
  std::vector<double> y, mean, var;
  Reference(const Case& k, bool training)
      : Reference(k.x.shape(),
                  {k.x.to_vector<double>(), k.weight.to_vector<double>(), k.bias.to_vector<double>(),
                   k.mean.to_vector<double>(), k.var.to_vector<double>()},
                  training) {}
  Reference(const Shape& shape, const std::vector<std::vector<double>>& in, bool training) : y(in[0]) {
    const std::int64_t n = shape[0], channels = shape[1], inner = n * channels == 0 ? 0 : numel(shape) / (n * channels);
    mean = training ? in[1] : in[3];
    var = training ? in[1] : in[4];
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto each = [&](auto f) {
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t e = 0; e < inner; ++e) f(y[static_cast<std::size_t>((i * channels + c) * inner + e)]);
      };
      const auto k = static_cast<std::size_t>(c);
      if (training) {
        mean[k] = var[k] = 0;
        each([&](double v) { mean[k] += v / static_cast<double>(n * inner); });
        each([&](double v) { var[k] += (v - mean[k]) * (v - mean[k]) / static_cast<double>(n * inner); });
      }
      each([&](double& v) { v = (v - mean[k]) / std::sqrt(var[k] + 1e-5) * in[1][k] + in[2][k]; });
    }
  }
};

auto definition(bool training) {
  return [=](const std::vector<Doubles>& in) {
    std::vector<std::vector<double>> values;
    for (const Doubles& x : in) values.push_back(x.values);
    return Doubles(in[0].shape, Reference(in[0].shape, values, training).y);
  };
}
Draw positive(const Shape& shape) { return uniform(shape, 0.5, 2).constant(); }

[[maybe_unused]] const bool batch_norm_cases =
    OpCases("batch_norm")
        .result_layout(ResultLayout::like_input)
        .tolerance(20)  // repeated rows have no variance: 1/√eps = 316 magnifies the rounding of the mean
        .gradient_cancels()
        .optional_input(1)
        .optional_input(2)
        .on([](In in) { return batch_norm(in[0], in[1], in[2], {}, {}, {.training = true}); }, definition(true),
            "training")
        .inputs(normal({6, 3}), normal({3}), normal({3}))
        .inputs(normal({3, 2, 2, 3}), normal({2}), normal({2}))
        .inputs(normal({0, 3, 2}), normal({3}), normal({3}))
        .inputs(normal({9, 1}), normal({1}), normal({1}))
        .inputs(normal({2, 3, 2, 2, 2}), normal({3}), normal({3}))
        .inputs(normal({3, 70}), normal({70}), normal({70}))
        .inputs(normal({1, 2, 150, 100}), normal({2}), normal({2}))
        .inputs(normal({8, 12, 24, 24}), normal({12}), normal({12}))
        .inputs(normal({2, 264, 2, 1}), normal({264}), normal({264}))
        .on([](In in) { return batch_norm(in[0], in[1], in[2], in[3], in[4]); }, definition(false), "evaluation")
        .inputs(normal({6, 3}), normal({3}), normal({3}), positive({3}), positive({3}))
        .inputs(normal({3, 2, 2, 3}), normal({2}), normal({2}), positive({2}), positive({2}))
        .recorded("batch_norm", "lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True)",
                  [](In in) { return batch_norm(in[0], in[1], in[2], {}, {}, {.training = true}); })
        .error<ShapeError>([] { batch_norm(empty({3}), {}, {}, {}, {}, {.training = true}); },
                           "batch_norm: x must be [N, C, …], got float32 [3]")
        .error<DTypeError>(
            [] { batch_norm(zeros({2, 3}, {.dtype = DType::int64}), {}, {}, {}, {}, {.training = true}); },
            "batch_norm: x must be floating, got int64 [2, 3]; convert it with to()")
        .error<ShapeError>(
            [] { batch_norm(empty({2, 3}), empty({2}), {}, {}, {}, {.training = true}); },
            "batch_norm: weight must have one element per channel, [3] for x float32 [2, 3], got float32 "
            "[2]")
        .error<ShapeError>(
            [] { batch_norm(empty({2, 3}), {}, empty({2}), {}, {}, {.training = true}); },
            "batch_norm: bias must have one element per channel, [3] for x float32 [2, 3], got float32 [2]")
        .error<ShapeError>([] { batch_norm(empty({2, 3}), {}, {}, empty({2}), empty({3}), {.training = true}); },
                           "batch_norm: running_mean must have one element per channel, [3] for x float32 [2, 3], got "
                           "float32 [2]")
        .error<ValueError>([] { batch_norm(empty({2, 3}), {}, {}, empty({3}), {}, {.training = true}); },
                           "batch_norm: running_mean and running_var must be given together, one is undefined")
        .error<ValueError>([] { batch_norm(empty({2, 3}), {}, {}, {}, {}, {.training = false}); },
                           "batch_norm: evaluation needs running statistics, but none were given")
        .error<ValueError>(
            [] { batch_norm(empty({1, 3}), {}, {}, {}, {}, {.training = true}); },
            "batch_norm: training needs more than one value per channel, got float32 [1, 3]; use a larger "
            "batch, or evaluation mode")
        .error<ValueError>(
            [] { batch_norm(empty({1, 3, 1, 1}), {}, {}, {}, {}, {.training = true}); },
            "batch_norm: training needs more than one value per channel, got float32 [1, 3, 1, 1]; use a larger "
            "batch, or evaluation mode")
        .error<DTypeError>(
            [] { batch_norm(empty({2, 3}), zeros({3}, {.dtype = DType::int64}), {}, {}, {}, {.training = true}); },
            "batch_norm: weight must be floating, got int64 [3]; convert it with to()")
        .error<ValueError>([] { batch_norm(empty({2, 3}), {}, {}, {}, {}, {.training = true, .eps = -1}); },
                           "batch_norm: eps must be positive, got -1")
        .check();

/// Inputs in the operator's order, but with the running statistics, if any, last.
auto definition_with_relu(bool training, bool adds) {
  return [=](const std::vector<Doubles>& in) {
    std::vector<std::vector<double>> values;
    for (std::size_t i = 0; i < in.size(); ++i)
      if (!adds || i != 3) values.push_back(in[i].values);
    std::vector<double> y = Reference(in[0].shape, values, training).y;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::max(y[i] + (adds ? in[3].values[i] : 0), 0.0);
    return Doubles(in[0].shape, y);
  };
}

[[maybe_unused]] const bool batch_norm_relu_cases =
    OpCases("batch_norm_relu")
        .result_layout(ResultLayout::like_input)
        .tolerance(20)
        .gradient_cancels()
        .optional_input(1)
        .optional_input(2)
        .optional_input(3)
        .on([](In in) { return batch_norm_relu(in[0], in[1], in[2], {}, {}, {}, {.training = true}); },
            definition_with_relu(true, false), "training")
        .inputs(normal({6, 3}), normal({3}), normal({3}))
        .inputs(normal({3, 2, 2, 3}), normal({2}), normal({2}))
        .inputs(normal({0, 3, 2}), normal({3}), normal({3}))
        .inputs(normal({2, 16, 4, 4}), normal({16}), normal({16}))
        .on([](In in) { return batch_norm_relu(in[0], in[1], in[2], {}, {}, in[3], {.training = true}); },
            definition_with_relu(true, true), "training with a residual")
        .inputs(normal({6, 3}), normal({3}), normal({3}), normal({6, 3}))
        .inputs(normal({2, 16, 4, 4}), normal({16}), normal({16}), normal({2, 16, 4, 4}))
        .inputs(normal({3, 2, 2, 3}), normal({2}), normal({2}), normal({3, 2, 2, 3}))
        .inputs(normal({8, 12, 24, 24}), normal({12}), normal({12}), normal({8, 12, 24, 24}))
        .on([](In in) { return batch_norm_relu(in[0], in[1], in[2], in[4], in[5], in[3]); },
            definition_with_relu(false, true), "evaluation")
        .inputs(normal({6, 3}), normal({3}), normal({3}), normal({6, 3}), positive({3}), positive({3}))
        .inputs(normal({3, 2, 2, 3}), normal({2}), normal({2}), normal({3, 2, 2, 3}), positive({2}), positive({2}))
        .error<ShapeError>([] { batch_norm_relu(empty({3}), {}, {}, {}, {}, {}, {.training = true}); },
                           "batch_norm_relu: x must be [N, C, …], got float32 [3]")
        .error<DTypeError>(
            [] { batch_norm_relu(zeros({2, 3}, {.dtype = DType::int64}), {}, {}, {}, {}, {}, {.training = true}); },
            "batch_norm_relu: x must be floating, got int64 [2, 3]; convert it with to()")
        .error<ShapeError>([] { batch_norm_relu(empty({2, 3}), {}, {}, {}, {}, empty({2, 1}), {.training = true}); },
                           "batch_norm_relu: residual must have the shape of x float32 [2, 3], got float32 [2, 1]")
        .error<DTypeError>(
            [] {
              batch_norm_relu(empty({2, 3}), {}, {}, {}, {}, empty({2, 3}, {.dtype = float64}), {.training = true});
            },
            "batch_norm_relu: residual must have the dtype of x float32 [2, 3], got float64 [2, 3]; convert it with "
            "to()")
        .error<ValueError>([] { batch_norm_relu(empty({2, 3}), {}, {}, {}, {}); },
                           "batch_norm_relu: evaluation needs running statistics, but none were given")
        .error<ShapeError>([] { batch_norm_relu(empty({2, 3}), empty({2}), {}, {}, {}, {}, {.training = true}); },
                           "batch_norm_relu: weight must have one element per channel, [3] for x float32 [2, 3], got "
                           "float32 [2]")
        .check();

TEST(BatchNorm, UpdatesTheRunningStatisticsInTrainingAlone) {
  const Case k({4, 3, 5});
  const Reference x(k, true);
  const auto mean = k.mean.to_vector<double>(), var = k.var.to_vector<double>();
  k.run(k.x, false);
  EXPECT_EQ(k.mean.to_vector<double>(), mean);
  const std::uint32_t version = k.mean.version();
  batch_norm(k.x, {}, {}, k.mean, k.var, {.training = true, .momentum = 0.25});
  EXPECT_GT(k.mean.version(), version);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(k.mean.to_vector<double>()[c], 0.75 * mean[c] + 0.25 * x.mean[c], 1e-12);
    EXPECT_NEAR(k.var.to_vector<double>()[c], 0.75 * var[c] + 0.25 * x.var[c] * 20 / 19, 1e-12);
  }
}

TEST(BatchNorm, TrainsWithoutRunningStatisticsAndWeight) {
  Case k({4, 3, 5});
  const Tensor with = batch_norm(k.x, {}, {}, k.mean, k.var, {.training = true});
  expect_near(batch_norm(k.x, {}, {}, {}, {}, {.training = true}), with, 0);
}

TEST(BatchNorm, HasGradientsOfNoChannels) {
  const Tensor x = leaf(zeros({4, 0, 3})), weight = leaf(zeros({0}));
  batch_norm(x, weight, weight, {}, {}, {.training = true}).backward(zeros({4, 0, 3}));
  EXPECT_EQ(x.grad().shape(), (Shape{4, 0, 3}));
  EXPECT_EQ(weight.grad().shape(), (Shape{0}));
}

TEST(BatchNorm, IsExactFarFromZero) {
  const Tensor x = sample({64, 2, 40, 40}, 3) + 1e4;
  const Tensor exact = batch_norm(x, {}, {}, {}, {}, {.training = true});
  const Tensor rough = batch_norm(x.to(float32), {}, {}, {}, {}, {.training = true});
  expect_near(rough, exact, 2e-3);  // x has an error of 1e-3
}

TEST(BatchNormRelu, LeavesAGradientAloneThatOthersSee) {
  const Case k({4, 3, 2, 2});
  const Tensor x = leaf(k.x), seen = sample({4, 3, 2, 2}, 9);
  const auto before = seen.to_vector<double>();
  batch_norm_relu(x, k.weight, k.bias, {}, {}, {}, {.training = true}).backward(seen);
  EXPECT_EQ(seen.to_vector<double>(), before);
}

TEST(BatchNormReluDeviceCases, LeavesAGradientAloneThatOthersSee) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Case k({4, 3, 2, 2});
  const Device device = test_device();
  const Tensor x = leaf(k.x.to(device)), residual = leaf(sample({4, 3, 2, 2}, 8).to(device));
  const Tensor seen = sample({4, 3, 2, 2}, 9).to(device), weight = k.weight.to(device);
  const auto before = seen.to_vector<double>();
  batch_norm_relu(x, weight, {}, {}, {}, residual, {.training = true}).backward(seen);
  EXPECT_EQ(seen.to_vector<double>(), before);
}

// Kernels skip what no input needs, and read what they need in different ways.
TEST(BatchNormReluDeviceCases, GradientsDoNotDependOnWhichAreWanted) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Case k({4, 3, 2, 2});
  const Tensor residual = sample({4, 3, 2, 2}, 8), slope = sample({4, 3, 2, 2}, 9);
  for (const bool training : {false, true})
    for (const bool adds : {false, true})
      for (unsigned wanted = 1; wanted < (adds ? 16u : 8u); ++wanted) {
        const auto gradients = [&](Device device, unsigned which) {
          std::vector<Tensor> inputs;
          for (const Tensor& t : {k.x, k.weight, k.bias, residual})
            inputs.push_back(t.to(device).detach().requires_grad((which >> inputs.size() & 1u) != 0));
          batch_norm_relu(inputs[0], inputs[1], inputs[2], k.mean.to(device), k.var.to(device),
                          adds ? inputs[3] : Tensor(), {.training = training})
              .backward(slope.to(device));
          return inputs;
        };
        const std::vector<Tensor> all = gradients(Device::cpu(), adds ? 15 : 7);
        const std::vector<Tensor> some = gradients(test_device(), wanted);
        for (std::size_t i = 0; i < 4; ++i)
          if ((wanted >> i & 1u) != 0) expect_near(some[i].grad().to(Device::cpu()), all[i].grad(), 1e-12);
      }
}

// What float16 rounds to 0 is an output of 0, from which no gradient passes.
TEST(BatchNormReluDeviceCases, NoGradientPassesAnOutputThatIsRoundedToZero) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Device device = test_device();
  const TensorOptions half{.dtype = float16, .device = device}, wide{.dtype = float64, .device = device};
  const Tensor x = full({2, 3, 2}, std::ldexp(1, -14), half).requires_grad(true);
  const Tensor weight =
      from_vector(std::vector<double>{std::ldexp(1, -12), 0.99 * std::ldexp(1, -11), std::ldexp(1, -10)}, {3})
          .to(float32)
          .to(device);
  const Tensor bias = zeros({3}, {.device = device}).requires_grad(true);
  const Tensor y = batch_norm_relu(x, weight, bias, zeros({3}, wide), full({3}, 1 - 1e-5, wide));
  EXPECT_EQ(y.to(float64).to_vector<double>()[0], 0);
  EXPECT_GT(y.to(float64).to_vector<double>()[5], 0);
  y.backward(ones({2, 3, 2}, half));
  EXPECT_EQ(bias.grad().to(float64).to_vector<double>(), (std::vector<double>{0, 0, 4}));
}

TEST(BatchNorm, LeavesStatisticsAloneForAnEmptyBatch) {
  const Case k({2, 3, 4});
  const auto mean = k.mean.to_vector<double>();
  const Tensor x = leaf(empty({0, 3, 4}, {.dtype = float64})), w = leaf(k.weight);
  const Tensor y = batch_norm(x, w, k.bias, k.mean, k.var, {.training = true});
  EXPECT_EQ(y.shape(), x.shape());
  EXPECT_EQ(k.mean.to_vector<double>(), mean);
  y.backward(empty({0, 3, 4}, {.dtype = float64}));
  EXPECT_EQ(w.grad().to_vector<double>(), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(batch_norm(empty({2, 0}), {}, {}, {}, {}, {.training = true}).numel(), 0);
}

TEST(BatchNorm, StatisticsFarFromZeroKeepTheirDigits) {
  for (const DType dtype : {float64, float32}) {
    const double level = dtype == float64 ? 1e8 : 1e3;
    // Multiples of 1/8 are exact in both dtypes.
    std::vector<double> values;
    for (int i = 0; i < 200; ++i) values.push_back(level + (i * 37 % 200 - 99.5) / 8 + 0.0625);
    double mean = 0, var = 0;
    for (const double v : values) mean += (v - level) / 200;
    for (const double v : values) var += (v - level - mean) * (v - level - mean) / 200;
    const Tensor x = from_vector(values, {50, 1, 4}).to(dtype).requires_grad(true);
    const Tensor weight = ones({1}, {.dtype = dtype}).requires_grad(true);
    const Tensor y = batch_norm(x, weight, {}, {}, {}, {.training = true, .eps = 1e-12});
    const double tolerance = dtype == float64 ? 1e-7 : 1e-4;  // the mean itself is rounded
    double slope = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double unit = (values[i] - level - mean) / std::sqrt(var);
      EXPECT_NEAR(y.to(float64).to_vector<double>()[i], unit, tolerance) << i;
      slope += unit * static_cast<double>(i % 3);
    }
    std::vector<double> gs;
    for (int i = 0; i < 200; ++i) gs.push_back(i % 3);
    y.backward(from_vector(gs, {50, 1, 4}).to(dtype));
    EXPECT_NEAR(weight.grad().to(float64).item<double>(), slope, 200 * tolerance);
  }
}

}  // namespace
}  // namespace minima::batch_norm_test
