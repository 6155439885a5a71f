#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/special/gamma.h>
#include <minima/tensor/tensor.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

// Functions of float computed through double: accurate, also next to arguments outside that method's range.

namespace minima::by_double_test {
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

Tensor vector_of(const std::vector<float>& x) { return from_vector(x, {static_cast<std::int64_t>(x.size())}); }

/// Compares with the C library in double; NaN and infinities must agree.
void expect_close(const std::vector<float>& got, const std::vector<double>& exact, const char* name, double limit) {
  ASSERT_EQ(got.size(), exact.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto rounded = static_cast<float>(exact[i]);
    if (std::isnan(exact[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << name << " " << i;
    } else if (std::isinf(rounded)) {
      EXPECT_EQ(got[i], rounded) << name << " " << i;
    } else {
      EXPECT_LT(ulps(got[i], exact[i]), limit) << name << " " << i << ": " << got[i] << ", exactly " << exact[i];
      EXPECT_EQ(std::signbit(got[i]), std::signbit(exact[i])) << name << " " << i;
    }
  }
}

TEST(ByDouble, FunctionsOfOneArgumentAreExactToAUnitAndKnowTheSpecialCases) {
  struct Function {
    const char* name;
    Tensor (*of)(const Tensor&);
    double (*exact)(double);
  };
  const Function functions[] = {
      {"tan", tan, std::tan},       {"asin", asin, std::asin},    {"acos", acos, std::acos},
      {"atan", atan, std::atan},    {"sinh", sinh, std::sinh},    {"cosh", cosh, std::cosh},
      {"asinh", asinh, std::asinh}, {"acosh", acosh, std::acosh}, {"atanh", atanh, std::atanh},
  };
  std::vector<float> x{0.0f,   -0.0f, 1,      -1,    2,    infinity, -infinity, std::numeric_limits<float>::quiet_NaN(),
                       1e-45f, 3e38f, -3e38f, 88.9f, 1e20f};
  for (float v = 1e-30f; v < 1048576; v *= 1.0123f) x.insert(x.end(), {v, -v});
  for (float v = 0; v < 1; v += 0.00137f) x.insert(x.end(), {v, 1 - v / 1000, 1 + v / 1000, 2 - v / 1000, 4 * v});
  for (const Function& f : functions) {
    std::vector<double> exact;
    for (const float v : x) exact.push_back(f.exact(v));
    expect_close(f.of(vector_of(x)).to_vector<float>(), exact, f.name, 0.52);
  }
  std::vector<double> exact;
  std::erase_if(x, [](float v) { return v < 0; });  // where it is the C library's
  for (const float v : x) exact.push_back(std::lgamma(static_cast<double>(v)));
  expect_close(lgamma(vector_of(x)).to_vector<float>(), exact, "lgamma", 2);  // near 1 and 2, digits cancel
  const Tensor wide = vector_of(x).to(float64);
  expect_close(digamma(vector_of(x)).to_vector<float>(), digamma(wide).to_vector<double>(), "digamma", 2);
}

TEST(ByDouble, FunctionsOfTwoArgumentsAreExactToAUnitAndKnowTheSpecialCases) {
  struct Function {
    const char* name;
    Tensor (*of)(const Tensor&, const Tensor&);
    double (*exact)(double, double);
    double limit = 0.52;
  };
  const auto python_remainder = [](double a, double b) {
    const double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  };
  const Function functions[] = {
      {"atan2", atan2, std::atan2},
      {"hypot", hypot, std::hypot},
      {"fmod", fmod, std::fmod, 1e-9},
      {"remainder", remainder, python_remainder, 0.52},
  };
  const std::vector<float> values{0.0f,       -0.0f,  1,       -1,   2.5f,     -2.5f,
                                  3e38f,      1e-38f, -1e-45f, 7e7f, 0.1f,     -0.3f,
                                  1e-10f,     123456, 1e20f,   -6,   infinity, -infinity,
                                  0.9999999f, 3e-5f,  2,       -4,   16777216, std::numeric_limits<float>::quiet_NaN()};
  std::vector<float> a, b;
  for (const float x : values)
    for (const float y : values) a.push_back(x), b.push_back(y);
  for (float v = 1e-6f; v < 1e6f; v *= 1.013f) a.insert(a.end(), {v, -v, v}), b.insert(b.end(), {3.7f, 1 / v, -0.1f});
  for (const Function& f : functions) {
    std::vector<double> exact;
    for (std::size_t i = 0; i < a.size(); ++i) exact.push_back(f.exact(a[i], b[i]));
    expect_close(f.of(vector_of(a), vector_of(b)).to_vector<float>(), exact, f.name, f.limit);
  }
}

TEST(ByDouble, ErfinvInvertsErf) {
  std::vector<float> x{-0.0f, 1, -1, 2, infinity, std::numeric_limits<float>::quiet_NaN(), 1e-45f, 0.99999994f};
  for (float v = 1e-30f; v < 1; v *= 1.0123f) x.insert(x.end(), {v, -v, 1 - v});
  const Tensor wide = vector_of(x).to(float64);
  expect_close(erfinv(vector_of(x)).to_vector<float>(), erfinv(wide).to_vector<double>(), "erfinv", 3);
}

}  // namespace
}  // namespace minima::by_double_test
