#include <minima/ops/loops/math/math.h>
#include <minima/ops/loops/math/math_accuracy.h>
#include <minima/ops/loops/math/math_cpu.h>
#include <tests/ops/loops/math/math_loops.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string_view>
#include <type_traits>
#include <vector>

// Every function against the C library in the next wider type: floats by a stride through all bit patterns, doubles at
// random, both at special values. MINIMA_MATH_STRIDE=1 tests every float (minutes per function) and prints what it
// found.

namespace minima::math_test {

namespace {

template <class W> W reference(std::string_view function, W x) {
  if (function == "exp") return std::exp(x);
  if (function == "expm1") return std::expm1(x);
  if (function == "log") return std::log(x);
  if (function == "log1p") return std::log1p(x);
  if (function == "tanh") return std::tanh(x);
  if (function == "sigmoid") return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
  if (function == "erf") return std::erf(x);
  if (function == "sin") return std::sin(x);
  if (function == "cos") return std::cos(x);
  if (function == "sqrt") return std::sqrt(x);
  if (function == "rsqrt") return 1 / std::sqrt(x);
  if (function == "floor") return std::floor(x);
  if (function == "round") return std::nearbyint(x);
  ADD_FAILURE() << "no reference for " << function;
  return 0;
}

constexpr double wrong = std::numeric_limits<double>::infinity();

/// The distance in units in the last place of the exact result; infinite where NaN, infinity or a zero's sign is wrong.
template <class T, class W> double ulps(T got, W exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : wrong;
  const T rounded = static_cast<T>(exact);
  if (std::isinf(got) || std::isinf(rounded)) return got == rounded ? 0 : wrong;
  if (exact == 0) return got == 0 && std::signbit(got) == std::signbit(exact) ? 0 : wrong;
  const int exponent = std::max(std::ilogb(exact), Limits::min_exponent - 1);
  return static_cast<double>(std::ldexp(std::fabs(static_cast<W>(got) - exact), Limits::digits - 1 - exponent));
}

template <class T> struct Worst {
  double error = 0;
  T at = 0;
};

template <class T, class Loop, class Next>
Worst<T> worst_error(std::string_view function, Loop loop, long count, Next next) {
  using W = std::conditional_t<sizeof(T) == 4, double, long double>;
  Worst<T> worst;
  std::vector<T> x(4099), y(x.size());
  for (long done = 0; done < count; done += static_cast<long>(x.size())) {
    for (T& value : x) value = next();
    loop(y.data(), x.data(), static_cast<long>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = ulps(y[i], reference(function, static_cast<W>(x[i])));
      if (error > worst.error) worst = {error, x[i]};
    }
  }
  return worst;
}

constexpr std::uint64_t usual_stride = 4093;

std::uint64_t stride() {
  const char* wanted = std::getenv("MINIMA_MATH_STRIDE");
  return wanted ? std::strtoull(wanted, nullptr, 10) : usual_stride;
}

Worst<float> worst_float(const test::MathLoop& loop) {
  std::uint64_t pattern = 0;
  return worst_error<float>(loop.function, loop.on_float, static_cast<long>((1ull << 32) / stride()),
                            [&, step = stride()] {
                              const auto bits = static_cast<std::uint32_t>(pattern);
                              pattern += step;
                              return __builtin_bit_cast(float, bits);
                            });
}

/// A quarter of any bit pattern, the rest where the functions change most.
Worst<double> worst_double(const test::MathLoop& loop) {
  std::mt19937_64 random(1);
  return worst_error<double>(loop.function, loop.on_double, static_cast<long>(100'000 * usual_stride / stride()),
                             [&]() -> double {
                               const double unit = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
                               switch (random() % 4) {
                                 case 0: return __builtin_bit_cast(double, random());
                                 case 1: return unit * 1500;
                                 case 2: return unit * 40;
                                 default: return std::ldexp(unit, static_cast<int>(random() % 16) - 13);
                               }
                             });
}

template <class T> std::vector<T> special_values() {
  using L = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           1,
                           T(0.5),
                           2,
                           T(2.5),
                           T(3.5),
                           L::min(),
                           L::max(),
                           L::denorm_min(),
                           L::min() / 2,
                           L::epsilon(),
                           L::epsilon() / 2,
                           L::infinity(),
                           L::quiet_NaN(),
                           1 - L::epsilon() / 2,
                           1 + L::epsilon(),
                           T(0.34657359),
                           T(0.9),
                           T(4),
                           T(6),
                           T(9.02),
                           T(19.07),
                           T(17.4),
                           T(37.5)};
  // Around where exp overflows, becomes subnormal and vanishes.
  for (const T edge :
       {std::log(L::max()), -std::log(L::min()), -std::log(L::denorm_min()), 1 - std::log(L::denorm_min())})
    for (const T x : {edge, std::nextafter(edge, T(0)), std::nextafter(edge, L::max())}) values.push_back(x);
  for (std::size_t i = values.size(); i-- > 0;) values.push_back(-values[i]);
  return values;
}

template <class T, class Loop> Worst<T> worst_special(std::string_view function, Loop loop) {
  const std::vector<T> values = special_values<T>();
  std::size_t i = 0;
  return worst_error<T>(function, loop, 1, [&] { return values[i++ % values.size()]; });
}

void expect_documented_accuracy(std::span<const test::MathLoop> loops) {
  ASSERT_EQ(loops.size(), std::size(math::accuracy));
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const test::MathLoop& loop = loops[i];
    const math::Accuracy& documented = math::accuracy[i];
    ASSERT_STREQ(loop.function, documented.function);
    const Worst<float> on_float = worst_float(loop);
    const Worst<double> on_double = worst_double(loop);
    for (const Worst<float>& found : {on_float, worst_special<float>(loop.function, loop.on_float)})
      EXPECT_LE(found.error, documented.float32_ulp) << "float " << loop.function << " at " << found.at;
    for (const Worst<double>& found : {on_double, worst_special<double>(loop.function, loop.on_double)})
      EXPECT_LE(found.error, documented.float64_ulp) << "double " << loop.function << " at " << found.at;
    if (stride() != usual_stride) std::printf("%-8s %.3f %.3f\n", loop.function, on_float.error, on_double.error);
  }
}

TEST(Math, IsAsExactAsDocumented) { expect_documented_accuracy(test::library_math_loops()); }

TEST(Math, IsAsExactAsDocumentedWithoutFlags) { expect_documented_accuracy(test::plain_math_loops()); }

/// exp's results up to a rounding, and 0 where that is subnormal. Both are right next to the smallest normal number.
template <class T> void expect_exp_or_zero(T x) {
  constexpr T least = std::numeric_limits<T>::min();
  const T got = math::exp_nonpositive(x), full = math::exp(x);
  constexpr T epsilon = std::numeric_limits<T>::epsilon();
  if (full < least || (got == 0 && full < least * (1 + 100 * epsilon))) EXPECT_EQ(got, 0) << x;
  else EXPECT_LE(std::abs(got - full), epsilon * full) << x;
}

TEST(Math, ExpOfNonpositiveIsExpOrZeroWhereThatIsSubnormal) {
  for (std::uint64_t pattern = 0x80000000; pattern <= 0xff800000; pattern += usual_stride)
    expect_exp_or_zero(__builtin_bit_cast(float, static_cast<std::uint32_t>(pattern)));
  for (float x = -87.4f; x < -87.3f; x = std::nextafter(x, 0.0f)) expect_exp_or_zero(x);
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) expect_exp_or_zero(-std::uniform_real_distribution<double>(0, 800)(random));
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(math::exp_nonpositive(0.0), 1.0);
  EXPECT_EQ(math::exp_nonpositive(-inf), 0.0);
  EXPECT_EQ(math::exp_nonpositive(static_cast<float>(-inf)), 0.0f);
  EXPECT_TRUE(std::isnan(math::exp_nonpositive(std::nan(""))));
  EXPECT_TRUE(std::isnan(math::exp_nonpositive(std::nanf(""))));
}

TEST(Math, PowIsTheCLibrarys) {
  EXPECT_EQ(math::pow(2.0f, 10.0f), 1024.0f);
  EXPECT_EQ(math::pow(-2.0, 3.0), -8.0);
  EXPECT_EQ(math::pow(0.0f, -1.0f), std::numeric_limits<float>::infinity());
  EXPECT_EQ(math::pow(std::nan(""), 0.0), 1.0);
  EXPECT_TRUE(std::isnan(math::pow(-1.0f, 0.5f)));
}

TEST(Math, MinAndMaxLetNaNThrough) {
  const float nan = std::nanf("");
  EXPECT_EQ(math::max(1.0f, 2.0f), 2.0f);
  EXPECT_EQ(math::min(1.0f, 2.0f), 1.0f);
  EXPECT_TRUE(std::isnan(math::max(nan, 2.0f)));
  EXPECT_TRUE(std::isnan(math::max(2.0f, nan)));
  EXPECT_TRUE(std::isnan(math::min(nan, 2.0f)));
  EXPECT_TRUE(std::isnan(math::min(2.0f, nan)));
  EXPECT_EQ(math::max(-3, 2), 2);
  EXPECT_EQ(math::min(std::uint8_t{200}, std::uint8_t{7}), 7);
}

TEST(Math, SignAndAbsoluteValueOfEveryKind) {
  EXPECT_EQ(math::sign(-0.5f), -1.0f);
  EXPECT_EQ(math::sign(0.0), 0.0);
  EXPECT_EQ(math::sign(std::nan("")), 0.0);
  EXPECT_EQ(math::sign(std::uint8_t{9}), 1);
  EXPECT_EQ(math::abs(-7), 7);
  EXPECT_EQ(math::abs(std::int8_t{-128}), -128);
  EXPECT_EQ(math::abs(std::uint8_t{200}), 200);
  EXPECT_FALSE(std::signbit(math::abs(-0.0f)));
  EXPECT_TRUE(std::isnan(math::abs(std::nan(""))));
}

TEST(Math, TellsFiniteFromTheRest) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(math::isfinite(1e308));
  EXPECT_FALSE(math::isfinite(-inf));
  EXPECT_FALSE(math::isfinite(std::nan("")));
  EXPECT_TRUE(math::isnan(std::nanf("")));
  EXPECT_FALSE(math::isnan(inf));
  EXPECT_EQ(math::select(true, 1, 2), 1);
  EXPECT_EQ(math::fma(2.0f, 3.0f, 4.0f), 10.0f);
}

}  // namespace

}  // namespace minima::math_test
