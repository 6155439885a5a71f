#include <minima/ops/creation/random.h>

#include "tests/ops/checks/op_cases.h"
#include "tests/support/device.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/reduce/histogram.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace minima::random_test {
namespace {

using test::FunctionCases;

/// Whether these counts of draws are as probable as weights say: within five standard deviations.
void expect_frequencies(const std::vector<std::int64_t>& counts, const std::vector<double>& weights) {
  double total = 0, drawn = 0;
  for (const double weight : weights) total += weight;
  for (const std::int64_t count : counts) drawn += static_cast<double>(count);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double p = weights[i] / total;
    EXPECT_NEAR(static_cast<double>(counts[i]), drawn * p, 5 * std::sqrt(drawn * p * (1 - p))) << "class " << i;
  }
}

const std::vector<double> weights{1, 0, 3, 0.5, 5.5};

Tensor weight_rows(std::int64_t rows) {
  return expand(from_vector(weights, {1, 5}).to(test::test_device(), float32), {rows, 5});
}

TEST(RandomLike, TakesWhatOptionsLeaveOut) {
  const Tensor x = t(empty({2, 3}, {.dtype = float64}));
  RandomGenerator a(7), b(7);
  EXPECT_EQ(rand_like(x).dtype(), float64);
  EXPECT_EQ(rand_like(x).strides(), x.strides());
  EXPECT_EQ(rand_like(x, {}, &a).to_vector<double>(), rand({3, 2}, {.dtype = float64}, &b).to_vector<double>());
  EXPECT_EQ(randn_like(x, {.dtype = float32}, &a).to_vector<float>(), randn({3, 2}, {}, &b).to_vector<float>());
  EXPECT_EQ(randint_like(x, 2, 9, {.dtype = int64}, &a).to_vector<std::int64_t>(),
            randint(2, 9, {3, 2}, {}, &b).to_vector<std::int64_t>());
  EXPECT_EQ(randint_like(x, 9, {}, &a).to_vector<double>(),
            randint(0, 9, {3, 2}, {.dtype = float64}, &b).to_vector<double>());
  EXPECT_THROW(rand_like(x, {.dtype = int64}), DTypeError);
  EXPECT_THROW(randn_like(zeros({2}, {.dtype = int32})), DTypeError);
  EXPECT_THROW(randint_like(x, 3, 3), ValueError);
  EXPECT_THROW(randint_like(zeros({2}, {.dtype = uint8}), 300), ValueError);
}

TEST(RandomIntegers, BeginAt0WithoutALowerEnd) {
  RandomGenerator a(7), b(7);
  EXPECT_EQ(randint(9, {3, 2}, {}, &a).to_vector<std::int64_t>(),
            randint(0, 9, {3, 2}, {}, &b).to_vector<std::int64_t>());
  EXPECT_EQ(randint(9, {4}, {.dtype = int32}).dtype(), int32);
}

TEST(RandomPermutation, TakesADTypeAndADevice) {
  SKIP_WITHOUT_TEST_DEVICE();
  RandomGenerator a(7), b(7);
  const Tensor order = randperm(100, {.dtype = int32, .device = test::test_device()}, &a);
  EXPECT_EQ(order.dtype(), int32);
  EXPECT_EQ(order.device(), test::test_device());
  EXPECT_EQ(order.to_vector<std::int64_t>(), randperm(100, &b).to_vector<std::int64_t>());
  EXPECT_EQ(randperm(3, {.device = Device::cpu()}).dtype(), int64);
  EXPECT_EQ(randperm(0, {.dtype = int8}).shape(), (Shape{0}));
  EXPECT_THROW(randperm(200, {.dtype = int8}), ValueError);
  EXPECT_THROW(randperm(-1, {.dtype = int8}), ValueError);
}

TEST(Multinomial, DrawsWithReplacementByWeight) {
  SKIP_WITHOUT_TEST_DEVICE();
  RandomGenerator generator(7);
  const Tensor draws = multinomial(weight_rows(2), 4000, true, &generator);
  EXPECT_EQ(draws.shape(), (Shape{2, 4000}));
  expect_frequencies(bincount(flatten(draws), 5).to_vector<std::int64_t>(), weights);
}

TEST(Multinomial, DrawsWithoutReplacementNoClassTwice) {
  SKIP_WITHOUT_TEST_DEVICE();
  RandomGenerator generator(7);
  const Tensor draws = multinomial(weight_rows(4000), 4, false, &generator);
  expect_frequencies(bincount(flatten(slice(draws, 1, 0, 1)), 5).to_vector<std::int64_t>(), weights);
  // All four classes with a weight, in each row.
  const Tensor counts = bincount(flatten(draws), 5);
  EXPECT_EQ(counts.to_vector<std::int64_t>(), (std::vector<std::int64_t>{4000, 0, 4000, 4000, 4000}));
}

TEST(Multinomial, RefusesWhatIsNoDistribution) {
  EXPECT_THROW(multinomial(ones({2}, {.dtype = int64}), 1), DTypeError);
  EXPECT_THROW(multinomial(ones({}), 1), ShapeError);
  EXPECT_THROW(multinomial(ones({2, 0}), 1), ShapeError);
  EXPECT_THROW(multinomial(ones({2}), 3), ValueError);
  EXPECT_THROW(multinomial(ones({2}), 0), ValueError);
  EXPECT_THROW(multinomial(tensor<float>({1, -1}), 1), ValueError);
  EXPECT_THROW(multinomial(tensor<float>({1, 0}), 2), ValueError);
  EXPECT_THROW(multinomial(ones({2, 2}), INT64_MAX, true), Error);
}

TEST(BernoulliOfTensor, DrawsWithEachProbability) {
  SKIP_WITHOUT_TEST_DEVICE();
  RandomGenerator generator(7);
  const Tensor p = expand(tensor<float>({0, 0.25, 1}).to(test::test_device()), {4000, 3});
  const std::vector<float> ones = sum(bernoulli(p, &generator), 0).to_vector<float>();
  EXPECT_EQ(ones[0], 0);
  EXPECT_NEAR(ones[1], 1000, 5 * std::sqrt(4000 * 0.25 * 0.75));
  EXPECT_EQ(ones[2], 4000);
  EXPECT_THROW(bernoulli(full({1}, 2)), ValueError);
  EXPECT_THROW(bernoulli(zeros({1}, {.dtype = int64})), DTypeError);
}

TEST(Poisson, HasTheMomentsOfItsRates) {
  SKIP_WITHOUT_TEST_DEVICE();
  RandomGenerator generator(7);
  const std::vector<double> rates{0, 0.3, 4, 9.99, 10, 70, 5e4};
  const Tensor rate = from_vector(rates, {1, 7}).to(test::test_device());
  const auto draws = poisson(expand(rate, {8000, 7}), &generator);
  EXPECT_EQ(draws.dtype(), float64);
  const auto means = mean(draws, {0}).to_vector<double>(), spreads = var(draws, {0}).to_vector<double>();
  for (std::size_t i = 0; i < rates.size(); ++i) {
    EXPECT_NEAR(means[i], rates[i], 5 * std::sqrt(rates[i] / 8000)) << rates[i];
    EXPECT_NEAR(spreads[i], rates[i], 0.12 * rates[i]) << rates[i];
  }
  EXPECT_FALSE(poisson(ones({3}).requires_grad(true)).requires_grad());
}

TEST(Poisson, OfWhatIsNoRateIsNaN) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Tensor rate = from_vector<float>({-1, INFINITY, NAN, 3}, {4}).to(test::test_device());
  const auto draws = poisson(rate).to_vector<float>();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(draws[static_cast<std::size_t>(i)])) << i;
  EXPECT_EQ(draws[3], std::floor(draws[3]));
  EXPECT_EQ(poisson(zeros({0, 3})).shape(), (Shape{0, 3}));
  EXPECT_THROW(poisson(ones({2}, {.dtype = int64})), DTypeError);
}

[[maybe_unused]] const bool multinomial_calls = FunctionCases("multinomial")
                                                    .huge([](auto v) { multinomial(ones({2}), v, true); })
                                                    .undefined([](const Tensor& none) { multinomial(none, 1); })
                                                    .check();

[[maybe_unused]] const bool rand_calls = FunctionCases("rand").huge([](auto v) { rand({v}); }).check();

[[maybe_unused]] const bool randn_calls = FunctionCases("randn").huge([](auto v) { randn({1, v}); }).check();

[[maybe_unused]] const bool randint_calls = FunctionCases("randint")
                                                .huge([](auto v) { randint(0, 5, {v}); })
                                                .huge([](auto v) { randint(v, INT64_MAX, {3}); })
                                                .huge([](auto v) { randint(INT64_MIN, v, {3}); })
                                                .huge([](auto v) { randint(0, v, {3}, {.dtype = int32}); })
                                                .huge([](auto v) { randint(v, {3}); })
                                                .check();

[[maybe_unused]] const bool randperm_calls = FunctionCases("randperm")
                                                 .huge([](auto v) { randperm(v); })
                                                 .huge([](auto v) { randperm(v, {.dtype = int32}); })
                                                 .check();

[[maybe_unused]] const bool rand_like_calls =
    FunctionCases("rand_like").undefined([](const Tensor& none) { rand_like(none); }).check();

[[maybe_unused]] const bool randn_like_calls =
    FunctionCases("randn_like").undefined([](const Tensor& none) { randn_like(none); }).check();

[[maybe_unused]] const bool randint_like_calls =
    FunctionCases("randint_like")
        .huge([](auto v) { randint_like(ones({3}), v); })
        .huge([](auto v) { randint_like(ones({3}, {.dtype = int64}), v, INT64_MAX); })
        .undefined([](const Tensor& none) { randint_like(none, 3); })
        .check();

[[maybe_unused]] const bool bernoulli_calls =
    FunctionCases("bernoulli").undefined([](const Tensor& none) { bernoulli(none); }).check();

[[maybe_unused]] const bool bernoulli_in_place_calls =
    FunctionCases("bernoulli_").undefined([](const Tensor& none) { bernoulli_(none); }).check();

[[maybe_unused]] const bool normal_in_place_calls =
    FunctionCases("normal_").undefined([](const Tensor& none) { normal_(none); }).check();

[[maybe_unused]] const bool uniform_in_place_calls =
    FunctionCases("uniform_").undefined([](const Tensor& none) { uniform_(none); }).check();

[[maybe_unused]] const bool poisson_calls =
    FunctionCases("poisson").undefined([](const Tensor& none) { poisson(none); }).check();

}  // namespace
}  // namespace minima::random_test
