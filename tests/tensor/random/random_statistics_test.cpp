#include <minima/tensor/random/random_fill.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

// Sanity checks of distributions. Seeds are fixed, so the tests are deterministic; limits are five standard errors.

namespace minima::random_statistics_test {
namespace {

constexpr std::int64_t count = 1 << 20;

template <class T>
std::vector<double> sample(void (*fill)(RandomGenerator&, DType, void*, std::int64_t, double, double), double a,
                           double b) {
  std::vector<T> values(count);
  RandomGenerator generator(2024);
  fill(generator, dtype_of<T>, values.data(), count, a, b);
  return {values.begin(), values.end()};
}

/// The mean of (x - center)^power.
double moment(const std::vector<double>& values, int power, double center = 0.0) {
  double sum = 0.0;
  for (const double value : values) sum += std::pow(value - center, power);
  return sum / static_cast<double>(values.size());
}

double correlation_at(const std::vector<double>& values, std::size_t lag, double mean) {
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i + lag < values.size(); ++i) sum += (values[i] - mean) * (values[i + lag] - mean);
  for (const double value : values) squares += (value - mean) * (value - mean);
  return sum / squares;
}

/// The chi-squared statistic, Σ (observed - expected)² / expected, for equally likely cells.
double chi_square(const std::vector<std::int64_t>& cells) {
  double total = 0.0, sum = 0.0;
  for (const std::int64_t cell : cells) total += static_cast<double>(cell);
  const double expected = total / static_cast<double>(cells.size());
  for (const std::int64_t cell : cells)
    sum += (static_cast<double>(cell) - expected) * (static_cast<double>(cell) - expected) / expected;
  return sum;
}

void expect_chi_square(const std::vector<std::int64_t>& cells) {
  const double freedom = static_cast<double>(cells.size() - 1);
  EXPECT_NEAR(chi_square(cells), freedom, 5.0 * std::sqrt(2.0 * freedom));
}

const double standard_error = 1.0 / std::sqrt(static_cast<double>(count));

template <class T>
void expect_normal() {
  const auto z = sample<T>(detail::fill_normal, 0, 1);
  EXPECT_NEAR(moment(z, 1), 0.0, 5 * standard_error);
  EXPECT_NEAR(moment(z, 2), 1.0, 5 * std::sqrt(2.0) * standard_error);
  EXPECT_NEAR(moment(z, 3), 0.0, 5 * std::sqrt(15.0) * standard_error);
  EXPECT_NEAR(moment(z, 4), 3.0, 5 * std::sqrt(96.0) * standard_error);
  // Neighbours share a radius but are independent.
  for (const std::size_t lag : {1u, 2u, 4u, 1024u}) EXPECT_NEAR(correlation_at(z, lag, 0.0), 0.0, 5 * standard_error);
  std::vector<std::int64_t> cells(64);
  for (const double value : z) {
    const double quantile = 0.5 * std::erfc(-value / std::numbers::sqrt2);
    ++cells[static_cast<std::size_t>(std::min(63.0, std::floor(64.0 * quantile)))];
  }
  expect_chi_square(cells);
}

TEST(RandomStatistics, NormalFloat32) { expect_normal<float>(); }
TEST(RandomStatistics, NormalFloat64) { expect_normal<double>(); }

TEST(RandomStatistics, NormalHasTheRightTail) {
  const auto z = sample<float>(detail::fill_normal, 0, 1);
  std::int64_t beyond = 0;
  for (const double value : z) beyond += std::abs(value) > 4.0;
  EXPECT_NEAR(static_cast<double>(beyond), std::erfc(4.0 / std::numbers::sqrt2) * count, 5 * 8.2);
}

TEST(RandomStatistics, NormalScalesAndShifts) {
  const auto x = sample<float>(detail::fill_normal, -3, 0.5);
  EXPECT_NEAR(moment(x, 1), -3.0, 5 * 0.5 * standard_error);
  EXPECT_NEAR(moment(x, 2, -3.0), 0.25, 5 * 0.25 * std::sqrt(2.0) * standard_error);
}

template <class T>
void expect_uniform() {
  const auto u = sample<T>(detail::fill_uniform, -2, 6);
  EXPECT_NEAR(moment(u, 1), 2.0, 5 * 8 / std::sqrt(12.0) * standard_error);
  EXPECT_NEAR(moment(u, 2, 2.0), 64.0 / 12, 5 * 64 * std::sqrt(1.0 / 180) * standard_error);
  for (const std::size_t lag : {1u, 2u, 4u}) EXPECT_NEAR(correlation_at(u, lag, 2.0), 0.0, 5 * standard_error);
  std::vector<std::int64_t> cells(256);
  for (const double value : u) ++cells[static_cast<std::size_t>((value + 2) * 32)];
  expect_chi_square(cells);
}

TEST(RandomStatistics, UniformFloat32) { expect_uniform<float>(); }
TEST(RandomStatistics, UniformFloat64) { expect_uniform<double>(); }

TEST(RandomStatistics, IntegersAreEven) {
  const auto check = []<class T>() {
    std::vector<T> values(count);
    RandomGenerator generator(11);
    detail::fill_integers(generator, dtype_of<T>, values.data(), count, 0, 100);
    std::vector<std::int64_t> cells(100);
    for (const T value : values) ++cells[static_cast<std::size_t>(value)];
    expect_chi_square(cells);
  };
  check.operator()<std::int8_t>();
  check.operator()<std::int32_t>();
  check.operator()<std::int64_t>();
}

TEST(RandomStatistics, BernoulliHasItsProbability) {
  std::vector<std::uint8_t> values(count);
  RandomGenerator generator(11);
  for (const double p : {0.01, 0.5, 0.9}) {
    detail::fill_bernoulli(generator, uint8, values.data(), count, p);
    double ones = 0;
    for (const std::uint8_t value : values) ones += value;
    EXPECT_NEAR(ones / count, p, 5 * std::sqrt(p * (1 - p)) * standard_error);
  }
}

TEST(RandomStatistics, AllPermutationsOfFourAreEquallyLikely) {
  std::vector<std::int64_t> cells(256);
  RandomGenerator generator(11);
  for (int i = 0; i < 24'000; ++i) {
    std::int64_t p[4];
    detail::fill_permutation(generator, p, 4);
    ++cells[static_cast<std::size_t>(p[0] * 64 + p[1] * 16 + p[2] * 4 + p[3])];
  }
  std::erase(cells, 0);
  ASSERT_EQ(cells.size(), 24u);
  expect_chi_square(cells);
}

}  // namespace
}  // namespace minima::random_statistics_test
