#include <minima/nn/init/init.h>
#include <minima/nn/init/skip.h>
#include <minima/nn/layers/linear.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace init_test {
namespace {

using namespace minima;
namespace init = nn::init;

struct Moments {
  double mean, std, low, high;
};

Moments moments(const Tensor& x) {
  const auto v = x.to_vector<double>();
  const double n = static_cast<double>(v.size());
  const double mean = std::accumulate(v.begin(), v.end(), 0.0) / n;
  double squares = 0;
  for (const double value : v) squares += (value - mean) * (value - mean);
  const auto [low, high] = std::minmax_element(v.begin(), v.end());
  return {mean, std::sqrt(squares / n), *low, *high};
}

/// Uniform on ±bound: nothing outside, both ends nearly reached, the right standard deviation.
void expect_uniform(const Tensor& x, double bound) {
  const Moments m = moments(x);
  EXPECT_LE(std::max(-m.low, m.high), bound * 1.0000001);
  EXPECT_GT(std::min(-m.low, m.high), bound * 0.98);
  EXPECT_NEAR(m.std, bound / std::sqrt(3.0), 0.03 * bound);
}

void expect_normal(const Tensor& x, double std) {
  const Moments m = moments(x);
  EXPECT_NEAR(m.mean, 0, 0.06 * std);
  EXPECT_NEAR(m.std, std, 0.04 * std);
  EXPECT_GT(m.high, 2.5 * std);
}

TEST(Init, GainsArePyTorchs) {
  using init::Nonlinearity;
  EXPECT_DOUBLE_EQ(init::calculate_gain(Nonlinearity::linear), 1);
  EXPECT_DOUBLE_EQ(init::calculate_gain(Nonlinearity::sigmoid), 1);
  EXPECT_DOUBLE_EQ(init::calculate_gain(Nonlinearity::tanh), 5.0 / 3);
  EXPECT_DOUBLE_EQ(init::calculate_gain(Nonlinearity::relu), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(init::calculate_gain(Nonlinearity::leaky_relu), std::sqrt(2 / 1.0001));
  EXPECT_DOUBLE_EQ(init::calculate_gain(Nonlinearity::leaky_relu, 0.2), std::sqrt(2 / 1.04));
  EXPECT_DOUBLE_EQ(init::calculate_gain(Nonlinearity::selu), 0.75);
}

TEST(Init, FansCountTheReceptiveField) {
  EXPECT_EQ(init::fans(empty({30, 20})).in, 20);
  EXPECT_EQ(init::fans(empty({30, 20})).out, 30);
  EXPECT_EQ(init::fans(empty({8, 4, 3, 5})).in, 60);
  EXPECT_EQ(init::fans(empty({8, 4, 3, 5})).out, 120);
  EXPECT_THROW(init::fans(empty({8})), ShapeError);
}

TEST(Init, ConstantsFill) {
  const Tensor x = empty({2, 3});
  init::ones_(x);
  EXPECT_EQ(x.to_vector<float>(), std::vector<float>(6, 1));
  init::zeros_(x);
  EXPECT_EQ(x.to_vector<float>(), std::vector<float>(6, 0));
  init::constant_(x, 0.5);
  EXPECT_EQ(x.to_vector<float>(), std::vector<float>(6, 0.5));
}

TEST(Init, SkipLeavesMemoryAndGeneratorAlone) {
  manual_seed(4);
  const Tensor drawn = rand({3});
  manual_seed(4);
  const Tensor weight = full({4, 5}, 7.0, {.dtype = float32});
  {
    const init::Skip skip;
    init::kaiming_normal_(weight);
    init::uniform_(weight);
    const nn::Linear layer({.in = 3, .out = 3});
  }
  EXPECT_TRUE(allclose(weight, full({4, 5}, 7.0, {.dtype = float32})));
  EXPECT_TRUE(allclose(rand({3}), drawn));
  init::uniform_(weight);
  EXPECT_LT(weight[0][0].item<float>(), 1);
}

TEST(Init, XavierHasItsBoundsAndSpread) {
  const Tensor x = empty({60, 40, 2, 2});
  init::xavier_uniform_(x, 2);
  expect_uniform(x, 2 * std::sqrt(6.0 / (160 + 240)));
  init::xavier_normal_(x, 2);
  expect_normal(x, 2 * std::sqrt(2.0 / (160 + 240)));
}

TEST(Init, KaimingHasItsBoundsAndSpread) {
  const Tensor x = empty({60, 40, 2, 2});
  init::kaiming_uniform_(x, {.negative_slope = std::sqrt(5.0)});
  expect_uniform(x, 1 / std::sqrt(160.0));
  init::kaiming_uniform_(x, {.mode = init::Fan::out, .nonlinearity = init::Nonlinearity::relu});
  expect_uniform(x, std::sqrt(6.0 / 240));
  init::kaiming_normal_(x, {.mode = init::Fan::out, .nonlinearity = init::Nonlinearity::relu});
  expect_normal(x, std::sqrt(2.0 / 240));
}

TEST(Init, TruncatedNormalStaysInsideWithTheRightShape) {
  const Tensor x = empty({200, 100});
  init::trunc_normal_(x, {.mean = 1, .std = 0.5, .low = 0, .high = 2});
  Moments m = moments(x);
  EXPECT_GE(m.low, 0);
  EXPECT_LE(m.high, 2);
  EXPECT_NEAR(m.mean, 1, 0.01);
  EXPECT_NEAR(m.std, 0.5 * 0.87962566, 0.01) << "the standard deviation of a normal cut at ±2σ";
  init::trunc_normal_(x, {.mean = 0, .std = 1, .low = 8, .high = 9});
  m = moments(x);
  EXPECT_GE(m.low, 8);
  EXPECT_NEAR(m.mean, 8.1214, 0.01) << "far in the tail: φ(8)/Q(8) = 8.1213…";
  EXPECT_THROW(init::trunc_normal_(x, {.low = 2, .high = 1}), ValueError);
}

TEST(Init, EyeAndDiracPassThrough) {
  const Tensor m = empty({2, 3});
  init::eye_(m);
  EXPECT_EQ(m.to_vector<float>(), (std::vector<float>{1, 0, 0, 0, 1, 0}));
  const Tensor w = empty({4, 1, 3});
  init::dirac_(w, 2);
  EXPECT_EQ(w.to_vector<float>(), (std::vector<float>{0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}));
  const Tensor w2 = empty({1, 2, 3, 3});
  init::dirac_(w2);
  EXPECT_EQ(w2.to_vector<float>()[4], 1);
  EXPECT_EQ(moments(w2).mean * 18, 1);
  EXPECT_THROW(init::dirac_(w, 3), ValueError);
  EXPECT_THROW(init::eye_(w), ShapeError);
}

void expect_orthonormal_rows(const std::vector<double>& m, std::size_t rows, std::size_t columns, double gain) {
  for (std::size_t a = 0; a < rows; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      double dot = 0;
      for (std::size_t i = 0; i < columns; ++i) dot += m[a * columns + i] * m[b * columns + i];
      EXPECT_NEAR(dot, a == b ? gain * gain : 0, 1e-12) << a << ", " << b;
    }
}

TEST(Init, OrthogonalHasOrthonormalRowsOrColumns) {
  const Tensor wide = empty({4, 3, 2}, {.dtype = float64});
  init::orthogonal_(wide, 1.5);
  expect_orthonormal_rows(wide.to_vector<double>(), 4, 6, 1.5);
  const Tensor large = empty({70, 80}, {.dtype = float64});
  init::orthogonal_(large);
  expect_orthonormal_rows(large.to_vector<double>(), 70, 80, 1);
  const Tensor tall = empty({6, 4}, {.dtype = float64});
  init::orthogonal_(tall);
  const auto v = tall.to_vector<double>();
  std::vector<double> transposed(v.size());
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 4; ++j) transposed[j * 6 + i] = v[i * 4 + j];
  expect_orthonormal_rows(transposed, 4, 6, 1);
}

TEST(Init, SparseHasItsZerosInEveryColumn) {
  const Tensor x = empty({10, 4});
  init::sparse_(x, 0.25);
  const auto v = x.to_vector<float>();
  for (std::size_t column = 0; column < 4; ++column) {
    int zeros = 0;
    for (std::size_t row = 0; row < 10; ++row) zeros += v[row * 4 + column] == 0;
    EXPECT_EQ(zeros, 3);
  }
  EXPECT_LT(moments(x).high, 0.06);
  EXPECT_THROW(init::sparse_(x, 1.5), ValueError);
}

TEST(Init, IsRepeatableAndLeavesParametersLeaves) {
  RandomGenerator generator(7);
  Tensor x = empty({5, 5}), y = empty({5, 5});
  x.requires_grad(true);
  init::kaiming_normal_(x, {}, &generator);
  generator.manual_seed(7);
  init::kaiming_normal_(y, {}, &generator);
  EXPECT_EQ(x.to_vector<float>(), y.to_vector<float>());
  EXPECT_TRUE(x.is_leaf() && x.requires_grad());
}

}  // namespace
}  // namespace init_test
