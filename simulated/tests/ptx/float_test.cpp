#include "simulated/tests/ptx/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

// Instructions on floating point numbers: rounding, subnormal numbers, saturation, NaN, and the error of
// approximations.

namespace simulated::ptx::float_test {
namespace {

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }
template <class T> T clamped(T x) { return x > 0 ? std::min(x, T{1}) : T{0}; }

template <class T> void check_arithmetic(const std::string& type) {
  expect_binary<T>("add." + type, [](T a, T b) { return a + b; });
  expect_binary<T>("sub.rn." + type, [](T a, T b) { return a - b; });
  expect_binary<T>("mul." + type, [](T a, T b) { return a * b; });
  expect_binary<T>("div.rn." + type, [](T a, T b) { return a / b; });
  expect_ternary<T>("fma.rn." + type, [](T a, T b, T c) { return std::fma(a, b, c); });
  expect_unary<T>("sqrt.rn." + type, [](T a) { return std::sqrt(a); });
  expect_unary<T>("rcp.rn." + type, [](T a) { return 1 / a; });
  expect_unary<T>("abs." + type, [](T a) { return std::fabs(a); });
  expect_unary<T>("neg." + type, [](T a) { return -a; });
  expect_binary<T>("copysign." + type, [](T a, T b) { return std::copysign(b, a); });
  expect_binary<T>("min." + type,
                   [](T a, T b) { return a == b && a == 0 ? (std::signbit(a) ? a : b) : std::fmin(a, b); });
  expect_binary<T>("max." + type,
                   [](T a, T b) { return a == b && a == 0 ? (std::signbit(a) ? b : a) : std::fmax(a, b); });
}

TEST(PtxFloat, ArithmeticIsThatOfIeee754) {
  check_arithmetic<float>("f32");
  check_arithmetic<double>("f64");
}

TEST(PtxFloat, SubnormalNumbersAreFlushedOnlyWithFtz) {
  expect_binary<float>("add.ftz.f32", [](float a, float b) { return flushed(flushed(a) + flushed(b)); });
  expect_binary<float>("mul.ftz.f32", [](float a, float b) { return flushed(flushed(a) * flushed(b)); });
  expect_binary<float>("mul.f32", [](float a, float b) { return a * b; });
}

TEST(PtxFloat, SaturationIsToTheUnitInterval) {
  expect_binary<float>("add.sat.f32", [](float a, float b) { return clamped(a + b); });
  expect_unary<float>("cvt.sat.f32.f32", [](float a) { return clamped(a); });
}

/// In single precision every NaN is 0x7fffffff.
TEST(PtxFloat, NanIsCanonical) {
  std::vector<u32> x = {0x7fc12345u, 0xffc00001u}, y(2);
  run_body(
      "ld.global.f32 %f0, [%a0];\nld.global.f32 %f1, [%a0+4];\nadd.f32 %f2, %f0, %f1;\nst.global.f32 [%a1], %f2;\n"
      "min.f32 %f2, %f0, %f1;\nst.global.f32 [%a1+4], %f2;",
      1, 1, x, y);
  EXPECT_EQ(y, (std::vector<u32>{0x7fffffffu, 0x7fffffffu}));
}

float rounded(int direction, float a, float b, float c) {
  std::fesetround(direction);
  volatile float x = a, y = b, z = c;
  volatile float result = std::fma(x, y, z);
  std::fesetround(FE_TONEAREST);
  return result;
}

TEST(PtxFloat, DirectedRoundingIsExact) {
  expect_ternary<float>("fma.rm.f32", [](float a, float b, float c) { return rounded(FE_DOWNWARD, a, b, c); });
  expect_ternary<float>("fma.rz.f32", [](float a, float b, float c) { return rounded(FE_TOWARDZERO, a, b, c); });
  expect_ternary<float>("fma.rp.f32", [](float a, float b, float c) { return rounded(FE_UPWARD, a, b, c); });
  expect_binary<float>("add.rz.f32", [](float a, float b) { return rounded(FE_TOWARDZERO, a, 1, b); });
}

/// Bounds of the PTX ISA: 2 ulp for div, 2^-22 for ex2 and lg2 and rsqrt, 1 ulp for rcp, 2^-11 for tanh.
TEST(PtxFloat, ApproximationsKeepTheirBounds) {
  constexpr double ulp = 0x1p-23;
  expect_unary<float>(
      "ex2.approx.ftz.f32", [](float a) { return flushed(static_cast<float>(std::exp2(double{flushed(a)}))); },
      0x1p-22);
  expect_unary<float>("lg2.approx.f32", [](float a) { return static_cast<float>(std::log2(double{a})); }, 0x1p-22);
  expect_unary<float>(
      "rcp.approx.ftz.f32", [](float a) { return flushed(static_cast<float>(1 / double{flushed(a)})); }, ulp);
  expect_unary<float>(
      "rsqrt.approx.f32", [](float a) { return static_cast<float>(1 / std::sqrt(double{a})); }, 0x1p-22);
  expect_unary<float>("tanh.approx.f32", [](float a) { return std::tanh(a); }, 0x1p-10);
}

/// Only the upper half of the bits counts.
TEST(PtxFloat, GrossApproximationsOfDoubles) {
  std::vector<double> x = {3, 1e300, 0.1}, y(6);
  std::string body;
  for (int i = 0; i < 3; ++i) {
    const std::string at = "+" + std::to_string(8 * i);
    body += "ld.global.f64 %e0, [%a0" + at + "];\nrcp.approx.ftz.f64 %e1, %e0;\nst.global.f64 [%a1" + at + "], %e1;\n" +
            "rsqrt.approx.ftz.f64 %e1, %e0;\nst.global.f64 [%a1+" + std::to_string(24 + 8 * i) + "], %e1;\n";
  }
  run_body(body, 1, 1, x, y);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(y[i] * x[i], 1, 0x1p-19);
    EXPECT_NEAR(y[3 + i] * std::sqrt(x[i]), 1, 0x1p-19);
    EXPECT_EQ(std::bit_cast<u64>(y[i]) & 0xffffffffu, 0u);
  }
}

template <class T> void check_comparisons(const std::string& type) {
  const auto expect = [&](const std::string& name, auto f) {
    expect_lanes<u32, T, T>("setp." + name + "." + type, [&](T a, T b) { return f(a, b) ? 1u : 0u; });
  };
  const auto unordered = [](T a, T b) { return std::isnan(a) || std::isnan(b); };
  expect("eq", [](T a, T b) { return a == b; });
  expect("ne", [&](T a, T b) { return !unordered(a, b) && a != b; });
  expect("lt", [](T a, T b) { return a < b; });
  expect("ge", [](T a, T b) { return a >= b; });
  expect("neu", [](T a, T b) { return a != b; });
  expect("equ", [&](T a, T b) { return unordered(a, b) || a == b; });
  expect("ltu", [&](T a, T b) { return unordered(a, b) || a < b; });
  expect("leu", [&](T a, T b) { return unordered(a, b) || a <= b; });
  expect("gtu", [&](T a, T b) { return unordered(a, b) || a > b; });
  expect("geu", [&](T a, T b) { return unordered(a, b) || a >= b; });
  expect("num", [&](T a, T b) { return !unordered(a, b); });
  expect("nan", unordered);
}

TEST(PtxFloat, ComparisonsWithNan) {
  check_comparisons<float>("f32");
  check_comparisons<double>("f64");
}

template <class D, class S> D to_whole(S x, double (*round)(double)) {
  if (std::isnan(x)) return sizeof(S) == 8 || sizeof(D) == 8 ? static_cast<D>(D{1} << (8 * sizeof(D) - 1)) : D{0};
  const long double whole = static_cast<long double>(round(static_cast<double>(x)));
  if (whole <= static_cast<long double>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
  if (whole >= static_cast<long double>(std::numeric_limits<D>::max())) return std::numeric_limits<D>::max();
  return static_cast<D>(whole);
}

TEST(PtxFloat, ConversionsToWholeNumbersClamp) {
  expect_lanes<i32, float>("cvt.rzi.s32.f32", [](float a) { return to_whole<i32>(a, std::trunc); });
  expect_lanes<u32, float>("cvt.rzi.u32.f32", [](float a) { return to_whole<u32>(a, std::trunc); });
  expect_lanes<i64, float>("cvt.rzi.s64.f32", [](float a) { return to_whole<i64>(a, std::trunc); });
  expect_lanes<u64, float>("cvt.rzi.u64.f32", [](float a) { return to_whole<u64>(a, std::trunc); });
  expect_lanes<i32, double>("cvt.rni.s32.f64", [](double a) { return to_whole<i32>(a, std::nearbyint); });
  expect_lanes<i64, double>("cvt.rzi.s64.f64", [](double a) { return to_whole<i64>(a, std::trunc); });
  expect_unary<float>("cvt.rmi.f32.f32", [](float a) { return std::floor(a); });
  expect_unary<float>("cvt.rni.f32.f32", [](float a) { return std::nearbyint(a); });
  expect_unary<double>("cvt.rzi.f64.f64", [](double a) { return std::trunc(a); });
}

TEST(PtxFloat, ConversionsFromWholeNumbersRound) {
  expect_lanes<float, i32>("cvt.rn.f32.s32", [](i32 a) { return static_cast<float>(a); });
  expect_lanes<float, u32>("cvt.rn.f32.u32", [](u32 a) { return static_cast<float>(a); });
  expect_lanes<float, i64>("cvt.rn.f32.s64", [](i64 a) { return static_cast<float>(a); });
  expect_lanes<float, u16>("cvt.rn.f32.u16", [](u16 a) { return static_cast<float>(a); });
  expect_lanes<double, u64>("cvt.rn.f64.u64", [](u64 a) { return static_cast<double>(a); });
  expect_lanes<float, double>("cvt.rn.f32.f64", [](double a) { return static_cast<float>(a); });
  expect_lanes<double, float>("cvt.f64.f32", [](float a) { return double{a}; });
}

/// By searching: the nearest of all numbers of 16 bits, an even one of two.
template <class Value> u16 nearest(float x, Value value, u16 infinity) {
  if (std::isnan(x)) return 0x7fff;
  const double magnitude = std::fabs(double{x});
  u16 low = 0, high = infinity;
  while (high - low > 1) {
    const auto middle = static_cast<u16>((low + high) / 2);
    (value(middle) <= magnitude ? low : high) = middle;
  }
  const double step = value(low) - (low ? value(static_cast<u16>(low - 1)) : 0);
  const double above = high == infinity ? value(low) + step : value(high);
  const double down = magnitude - value(low), up = above - magnitude;
  const u16 best = down < up || (down == up && low % 2 == 0) ? low : high;
  return static_cast<u16>((std::signbit(x) ? 0x8000 : 0) | (std::isinf(x) ? infinity : best));
}
double half_value(u16 bits) {
  const int exponent = bits >> 10;
  return exponent == 0 ? std::ldexp(bits & 1023, -24) : std::ldexp(1024 + (bits & 1023), exponent - 25);
}
double bfloat_value(u16 bits) { return double{std::bit_cast<float>(u32{bits} << 16)}; }

TEST(PtxFloat, SixteenBitsAreRoundedToNearestEven) {
  expect_lanes<u16, float>("cvt.rn.f16.f32", [](float a) { return nearest(a, half_value, 0x7c00); });
  expect_lanes<u16, float>("cvt.rn.bf16.f32", [](float a) { return nearest(a, bfloat_value, 0x7f80); });
  expect_lanes<float, u16>("cvt.f32.f16", [](u16 a) {
    const float sign = a & 0x8000 ? -1.0f : 1.0f;
    const auto magnitude = static_cast<u16>(a & 0x7fff);
    if (magnitude > 0x7c00) return std::numeric_limits<float>::quiet_NaN();
    return sign *
           (magnitude == 0x7c00 ? std::numeric_limits<float>::infinity() : static_cast<float>(half_value(magnitude)));
  });
}

}  // namespace
}  // namespace simulated::ptx::float_test
