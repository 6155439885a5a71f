#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/tensor/tensor.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

// sin, cos and pow of float computed through double: accurate, also next to arguments outside that method's range.

namespace minima {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// The distance of `got` from `exact` in units in the last place of a float.
double ulps(float got, double exact) {
  int exponent = 0;
  std::frexp(static_cast<float>(exact), &exponent);
  return std::abs(got - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

/// Floats of all sizes up to 2^20, of both signs.
std::vector<float> usual() {
  std::vector<float> x;
  for (float v = 1e-30f; v < 1048576; v *= 1.0123f) x.insert(x.end(), {v, -v});
  return x;
}

TEST(ByDouble, SineAndCosineAreExactToAUnit) {
  const std::vector<float> x = usual();
  const auto sines = sin(from_vector(x, {static_cast<std::int64_t>(x.size())})).to_vector<float>();
  const auto cosines = cos(from_vector(x, {static_cast<std::int64_t>(x.size())})).to_vector<float>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_LT(ulps(sines[i], std::sin(static_cast<double>(x[i]))), 0.52) << "sin " << x[i];
    EXPECT_LT(ulps(cosines[i], std::cos(static_cast<double>(x[i]))), 0.52) << "cos " << x[i];
  }
  EXPECT_TRUE(std::signbit(sin(from_vector(std::vector{-0.0f}, {1})).item<float>()));
}

TEST(ByDouble, AResultDoesNotDependOnItsNeighbours) {
  std::vector<float> x = usual();
  const auto alone = sin(from_vector(x, {static_cast<std::int64_t>(x.size())})).to_vector<float>();
  const std::vector<float> far{1e30f, infinity, std::numeric_limits<float>::quiet_NaN(), 2e6f};
  for (std::size_t i = 0; i < x.size(); i += 100) x[i] = far[i / 100 % far.size()];
  const auto mixed = sin(from_vector(x, {static_cast<std::int64_t>(x.size())})).to_vector<float>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 100 != 0) {
      EXPECT_EQ(alone[i], mixed[i]) << x[i];
    } else if (std::isfinite(x[i])) {
      EXPECT_LT(ulps(mixed[i], std::sin(static_cast<double>(x[i]))), 1) << x[i];
    } else {
      EXPECT_TRUE(std::isnan(mixed[i])) << x[i];
    }
  }
}

TEST(ByDouble, PowersAreExactToAUnitAndKnowTheSpecialCases) {
  const std::vector<float> x = usual();
  const std::int64_t count = static_cast<std::int64_t>(x.size()) / 2;
  std::vector<float> bases;
  for (std::size_t i = 0; i < x.size(); i += 2) bases.push_back(x[i]);
  for (const float y : {-3.5f, -1.0f, 0.3f, 2.5f, 6.0f}) {
    const auto powers = pow(from_vector(bases, {count}), y).to_vector<float>();
    for (std::size_t i = 0; i < bases.size(); ++i) {
      const double exact = std::pow(static_cast<double>(bases[i]), static_cast<double>(y));
      if (exact > 3.5e38) {
        EXPECT_EQ(powers[i], infinity) << bases[i] << "^" << y;
      } else if (exact < 3.4e38) {
        EXPECT_LT(ulps(powers[i], exact), 0.52) << bases[i] << "^" << y;
      }
    }
  }
  const auto special = pow(from_vector(std::vector{-2.0f, -2.0f, 0.0f, infinity, 1.0f, 4.0f}, {6}),
                           from_vector(std::vector{3.0f, 0.5f, -1.0f, -1.0f, infinity, infinity}, {6}))
                           .to_vector<float>();
  EXPECT_EQ(special[0], -8);
  EXPECT_TRUE(std::isnan(special[1]));
  EXPECT_EQ(special[2], infinity);
  EXPECT_EQ(special[3], 0);
  EXPECT_EQ(special[4], 1);
  EXPECT_EQ(special[5], infinity);
}

}  // namespace
}  // namespace minima
