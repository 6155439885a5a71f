#include <minima/ops/pointwise/pointwise_function.h>

#include "tests/support/compare.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace minima::pointwise_function_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

const Pointwise gauss([](auto x, auto y) { return x * exp(-y * y); });

Tensor composed(const Tensor& x, const Tensor& y) { return x * exp(-square(y)); }

Tensor draw(const Shape& shape, DType dtype = float64) {
  static RandomGenerator numbers(5);
  return randn(shape, {.dtype = float64}, &numbers).to(dtype);
}

void expect_close(const Tensor& a, const Tensor& b, double tolerance = 1e-12) {
  EXPECT_EQ(a.dtype(), b.dtype());
  const Closeness close = allclose(a.detach(), b.detach(), {tolerance, tolerance});
  EXPECT_TRUE(close) << close.message;
}

TEST(Pointwise, ComputesWhatOperatorsDoForAnyShapesAndStrides) {
  const Tensor wide = draw({3, 1, 5}), tall = draw({4, 1}), strided = transpose(draw({5, 4, 3}), 0, 2);
  for (const auto& [x, y] : {std::pair{wide, tall},
                             {wide, strided},
                             {strided, strided},
                             {draw({}), tall},
                             {draw({0, 4}), draw({4})},
                             {draw({3000}), draw({3000})},
                             {flip(wide, {2}), tall}})
    expect_close(gauss(x, y), composed(x, y));
}

TEST(Pointwise, RoundsHalfTypesOnceAndConvertsIntegers) {
  for (const DType dtype : {float16, bfloat16}) {
    const Tensor x = draw({70}, dtype), y = draw({70}, dtype);
    EXPECT_TRUE(test::compare_bitwise(gauss(x, y), gauss(x.to(float32), y.to(float32)).to(dtype)));
  }
  expect_close(gauss(draw({9}, float32), draw({9})), gauss(draw({9}), draw({9})), infinity);
  const Tensor whole = arange(5);
  EXPECT_EQ(gauss(whole, whole).dtype(), float32);
  EXPECT_EQ(gauss(draw({5}, float16), draw({5}, float32)).dtype(), float32);
}

/// Value, gradients and the gradients of those are the ones of operators.
template <std::size_t n, class F, class G>
void expect_like(const F& f, const G& operators, const Tensor (&at)[n]) {
  std::vector<Tensor> in;
  for (const Tensor& x : at) in.push_back(clone(x).requires_grad(true));
  const auto call = [&](const auto& g) {
    if constexpr (n == 1) return g(in[0]);
    else return g(in[0], in[1]);
  };
  const Tensor y = call(f), z = call(operators), slope = draw(y.shape());
  expect_close(y, z);
  const auto first = grad({y}, in, {slope}, {.create_graph = true}),
             wanted = grad({z}, in, {slope}, {.create_graph = true});
  for (std::size_t i = 0; i < in.size(); ++i) {
    expect_close(first[i], wanted[i]);
    const Tensor direction = draw(in[i].shape());
    const auto again = [&](const Tensor& g) {
      if (!g.requires_grad()) return std::vector<Tensor>(n);
      return grad({g}, in, {direction}, {.retain_graph = true, .allow_unused = true});
    };
    const std::vector<Tensor> second = again(first[i]), expected = again(wanted[i]);
    for (std::size_t j = 0; j < in.size(); ++j) {
      const Tensor none = zeros(in[j].shape(), {.dtype = float64});
      expect_close(second[j].defined() ? second[j] : none, expected[j].defined() ? expected[j] : none, 1e-10);
    }
  }
}

TEST(Pointwise, HasTheGradientsOfEachFunction) {
  const Tensor x = draw({40}) * 2, positive = abs(draw({40})) + 0.3;
#define EXPECT_LIKE(formula, ...) \
  expect_like(Pointwise([](auto x) { return formula; }), [](const Tensor& x) { return formula; }, {__VA_ARGS__})
  // Each formula costs a second to compile, so each holds several functions.
  EXPECT_LIKE(exp(-x) * 2 + 1 + expm1(x) * x, x);
  EXPECT_LIKE(3 - log(x) / x + log1p(x) * x, positive);
  EXPECT_LIKE(sqrt(x) - 0.5 + rsqrt(x) * x * x + pow(x, 2.5), positive);
  EXPECT_LIKE(sin(x) * cos(x * 3) + tanh(x) * erf(x), x);
  EXPECT_LIKE(sigmoid(x) * x + pow(x, 3) + 1 / (1 + x * x), x);
  EXPECT_LIKE(abs(x) * x + sign(x) * x * x + floor(x) * x + round(x) * x * x, x);
#undef EXPECT_LIKE
}

TEST(Pointwise, HasTheGradientsOfSeveralInputs) {
  const Tensor x = draw({3, 1}), y = draw({4}), positive = abs(draw({3, 4})) + 0.3;
  expect_like(gauss, composed, {x, y});
  expect_like(gauss, composed, {transpose(draw({4, 3}), 0, 1), y});
  expect_like(Pointwise([](auto x, auto y) { return x / y; }), [](const Tensor& x, const Tensor& y) { return x / y; },
              {x, positive});
  expect_like(Pointwise([](auto x, auto y) { return pow(x, y); }),
              [](const Tensor& x, const Tensor& y) { return pow(x, y); }, {positive, y});
  expect_like(Pointwise([](auto x, auto y) { return max(x, y) * min(x, 2 * y); }),
              [](const Tensor& x, const Tensor& y) { return maximum(x, y) * minimum(x, 2 * y); }, {x, y});
}

TEST(Pointwise, TakesBranchesLoopsAndCapturedNumbers) {
  const double slope = 0.1;
  const Tensor x = draw({50});
  const auto leaky = [](const Tensor& x) { return leaky_relu(x, 0.1); };
  expect_like(Pointwise([=](auto x) { return x > 0 ? x : slope * x; }), leaky, {x});
  expect_like(Pointwise([=](auto x) { return where(x > 0, x, slope * x); }), leaky, {x});
  expect_like(Pointwise([](auto x) {
                auto sum = x;
                for (int i = 0; i < 3; ++i) sum += sum * x;
                sum -= 1, sum *= x, sum /= 2;
                return sum;
              }),
              [](const Tensor& x) { return ((x * pow(x + 1, 3)) - 1) * x / 2; }, {x});
}

TEST(Pointwise, AnInputThatDoesNotCountAddsNothing) {
  const Tensor x = from_vector<double>({0, infinity, -1}, {3}).requires_grad(true);
  const Tensor y = from_vector<double>({2, 3, 4}, {3}).requires_grad(true);
  const auto masked = Pointwise([](auto x, auto y) { return where(x > 0, log(x), 0) * y; });
  sum(masked(x, y)).backward();
  EXPECT_EQ(y.grad().to_vector<double>(), (std::vector<double>{0, infinity, 0}));
  EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{0, 0, 0}));
  const Tensor zero = zeros({1}, {.dtype = float64}).requires_grad(true);
  pow(zero, 0).backward();
  const Tensor other = zeros({1}, {.dtype = float64}).requires_grad(true);
  Pointwise([](auto x) { return pow(x, 0) + sqrt(x * 0); })(other).backward();
  EXPECT_EQ(other.grad().item<double>(), zero.grad().item<double>());
}

TEST(Pointwise, TakesFiveInputsInFloat32) {
  const Pointwise sum_of_five([](auto a, auto b, auto c, auto d, auto e) { return a * b + c * d + e; });
  std::vector<Tensor> in;
  for (int i = 0; i < 5; ++i) in.push_back(draw({7}, float32).requires_grad(true));
  const Tensor y = sum_of_five(in[0], in[1], in[2], in[3], in[4]);
  expect_close(y, in[0] * in[1] + in[2] * in[3] + in[4], 1e-6);
  sum(y).backward();
  EXPECT_TRUE(test::compare_bitwise(in[2].grad(), in[3].detach()));
  EXPECT_TRUE(test::compare_bitwise(in[4].grad(), ones({7})));
}

struct Cube {
  static constexpr const char* name = "cube";
  template <class T> T operator()(T x) const { return x * x * x; }
};

TEST(Pointwise, NamesTheOperatorInErrors) {
  const Pointwise<Cube> cube;
  const auto message = [](const auto& f) -> std::string {
    try {
      f();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([&] { cube(Tensor()); }).substr(0, 5), "cube:");
  const Tensor x = draw({3}).requires_grad(true);
  const Tensor second = grad({grad({cube(x)}, {x}, {ones({3}, {.dtype = float64})}, {.create_graph = true})[0]}, {x},
                             {ones({3}, {.dtype = float64})}, {.create_graph = true})[0];
  expect_close(second, 6 * x);
  const std::string third = message([&] { sum(second).backward(); });
  EXPECT_TRUE(third.starts_with("cube: a function given to Pointwise has derivatives of first and second order only"))
      << third;
  EXPECT_EQ(message([&] { gauss(draw({2}), draw({3})); }).substr(0, 10), "pointwise:");
}

}  // namespace
}  // namespace minima::pointwise_function_test
