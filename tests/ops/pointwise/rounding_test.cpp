#include <minima/ops/pointwise/rounding.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace minima::rounding_test {
namespace {

using namespace test;

bool rounding(OpCases cases, Tensor (*f)(const Tensor&), double (*reference)(double)) {
  const std::string name = cases.name();
  return cases.dtypes(numeric_dtypes())
      .result_layout(ResultLayout::like_input)
      .on([=](In in) { return f(in[0]); }, elementwise(reference))
      .pytorch("torch." + name)
      .pointwise_inputs(1, uniform({}, -9, 9))
      .inputs(given({7}, {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, -0.25}).constant())
      .error<DTypeError>([=] { f(zeros({2}, {.dtype = DType::boolean})); },
                         name + ": needs a tensor of numbers, got bool [2]; convert it with to()")
      .check();
}
[[maybe_unused]] const bool floor_cases = rounding(OpCases("floor"), floor, [](double x) { return std::floor(x); });
[[maybe_unused]] const bool ceil_cases = rounding(OpCases("ceil"), ceil, [](double x) { return std::ceil(x); });
[[maybe_unused]] const bool round_cases = rounding(OpCases("round"), round, [](double x) { return std::nearbyint(x); });
[[maybe_unused]] const bool trunc_cases = rounding(OpCases("trunc"), trunc, [](double x) { return std::trunc(x); });
[[maybe_unused]] const bool frac_cases = rounding(OpCases("frac"), frac, [](double x) { return x - std::trunc(x); });

double python_remainder(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

bool division(OpCases cases, Tensor (*f)(const Tensor&, const Tensor&), double (*reference)(double, double),
              const std::string& python) {
  const std::string name = cases.name();
  const auto whole_zeros = [](DType dtype) { return zeros({2}, {.dtype = dtype}); };
  // Quotients far from integers, so that half types round to the same one as double.
  const Draw a = given({6}, {7.25, -7.25, 7.25, -7.25, 0.5, 30}), b = given({6}, {2, 2, -2, -2, 4, 7});
  return cases.dtypes(numeric_dtypes())
      .on([=](In in) { return f(in[0], in[1]); }, elementwise(reference))
      .pytorch(python)
      .inputs(a, b)
      .inputs(whole({4, 5}, -20, 20).constant(), given({1}, {3}).constant())
      .inputs(whole({3, 0}, 1, 5), whole({3, 0}, 1, 5))
      .inputs(whole({390, 130}, -9, 9).constant(), given({}, {4}).constant())
      .error<ShapeError>([=] { f(empty({2}), empty({3})); },
                         name + ": shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
      .error<DTypeError>([=] { f(whole_zeros(DType::boolean), whole_zeros(DType::boolean)); },
                         name + ": needs tensors of numbers, got bool [2] and bool [2]; convert them with to()")
      .error<ValueError>(
          [=] { f(whole_zeros(DType::int64), whole_zeros(DType::int64)); },
          name + ": division by zero of integers int64 [2] by int64 [2]; convert one to a floating dtype")
      .check();
}
[[maybe_unused]] const bool fmod_cases = division(
    OpCases("fmod").undefined([](const Tensor& none) { fmod(none, 2); }).undefined([](const Tensor& none) {
      fmod(2, none);
    }),
    fmod, [](double a, double b) { return std::fmod(a, b); }, "torch.fmod");
[[maybe_unused]] const bool remainder_cases = division(
    OpCases("remainder").undefined([](const Tensor& none) { remainder(none, 2); }).undefined([](const Tensor& none) {
      remainder(2, none);
    }),
    remainder, python_remainder, "torch.remainder");
[[maybe_unused]] const bool floor_divide_cases = division(
    OpCases("floor_divide")
        .undefined([](const Tensor& none) { floor_divide(none, 2); })
        .undefined([](const Tensor& none) { floor_divide(2, none); }),
    floor_divide, [](double a, double b) { return std::floor(a / b); }, "");

TEST(Rounding, IntegersDivideAsInPython) {
  const Tensor a = from_vector<std::int64_t>({7, -7, 7, -7}, {4}), b = from_vector<std::int64_t>({3, 3, -3, -3}, {4});
  EXPECT_EQ(remainder(a, b).to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 2, -2, -1}));
  EXPECT_EQ(floor_divide(a, b).to_vector<std::int64_t>(), (std::vector<std::int64_t>{2, -3, -3, 2}));
  EXPECT_EQ(fmod(a, b).to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, -1, 1, -1}));
}

TEST(Rounding, DivisionTakesNumbersOnEitherSide) {
  using Longs = std::vector<std::int64_t>;
  const Tensor a = tensor({7, -7, 6});
  EXPECT_EQ(remainder(a, 3).to_vector<std::int64_t>(), (Longs{1, 2, 0}));
  EXPECT_EQ((a % 3).to_vector<std::int64_t>(), (Longs{1, 2, 0}));
  EXPECT_EQ((20 % a).to_vector<std::int64_t>(), (Longs{6, -1, 2}));
  EXPECT_EQ(fmod(a, -3).to_vector<std::int64_t>(), (Longs{1, -1, 0}));
  EXPECT_EQ(fmod(20, a).to_vector<std::int64_t>(), (Longs{6, 6, 2}));
  EXPECT_EQ(floor_divide(a, 2).to_vector<std::int64_t>(), (Longs{3, -4, 3}));
  EXPECT_EQ(floor_divide(20, a).to_vector<std::int64_t>(), (Longs{2, -3, 3}));
  EXPECT_EQ((a % 2.5).to_vector<float>(), (std::vector<float>{2, 0.5, 1}));
  EXPECT_EQ((tensor<std::int8_t>({7}) % 4).dtype(), int8);
  EXPECT_EQ((tensor({7.0}).to(float16) % 4.0).dtype(), float16);
  EXPECT_THROW(a % 0, ValueError);
  EXPECT_THROW(tensor<std::int8_t>({7}) % 300, ValueError);
  EXPECT_THROW(tensor<std::uint8_t>({7}) % -3, ValueError);
  EXPECT_THROW(Tensor() % 3, ValueError);

  Tensor x = tensor({{7, 8}, {9, 10}});
  x %= 5;
  x[1] %= tensor({3, 4});
  EXPECT_EQ(x.to_vector<std::int64_t>(), (Longs{2, 3, 1, 0}));
  EXPECT_THROW(x %= 0, ValueError);
  EXPECT_THROW(x %= 0.5, DTypeError);
}

TEST(Rounding, TheSmallestIntegerByMinusOneWraps) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const Tensor a = from_vector<std::int64_t>({least, 7, least}, {3}), b = from_vector<std::int64_t>({-1, -1, 3}, {3});
  EXPECT_EQ(floor_divide(a, b).to_vector<std::int64_t>(), (std::vector<std::int64_t>{least, -7, least / 3 - 1}));
  EXPECT_EQ(remainder(a, b).to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 0, 1}));
  EXPECT_EQ(fmod(a, b).to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 0, least % 3}));
}

TEST(Rounding, DivisionByZeroOfFloatsIsInfinite) {
  const auto quotients = floor_divide(from_vector<float>({1, -1, 0}, {3}), zeros({3})).to_vector<float>();
  EXPECT_EQ(quotients[0], std::numeric_limits<float>::infinity());
  EXPECT_EQ(quotients[1], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(quotients[2]));
}

[[maybe_unused]] const bool remainder_in_place_calls =
    FunctionCases("remainder_")
        .undefined([](const Tensor& none) { remainder_(none, ones({2, 2})); })
        .undefined([](const Tensor& none) { remainder_(ones({2, 2}), none); })
        .undefined([](const Tensor& none) { remainder_(none, 2); })
        .check();

}  // namespace
}  // namespace minima::rounding_test
