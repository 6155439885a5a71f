#include <minima/tensor/base/half.h>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace minima::half_test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

Float16 half(std::uint16_t bits) {
  Float16 value;
  value.bits = bits;
  return value;
}

BFloat16 brain(std::uint16_t bits) {
  BFloat16 value;
  value.bits = bits;
  return value;
}

/// The value of a binary16 number by its definition.
double half_by_definition(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (exponent == 31) return fraction ? std::nan("") : sign * infinity;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Float16, AllValuesAreThoseOfTheDefinitionAndRoundTrip) {
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float value = half(bits);
    const double expected = half_by_definition(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << i;
      ASSERT_TRUE(std::isnan(static_cast<float>(Float16(value)))) << i;
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), expected) << i;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << i;
    ASSERT_EQ(Float16(value).bits, bits);
  }
}

// Between adjacent values a and b: below the midpoint → a, above → b, at the midpoint → the even one.
TEST(Float16, RoundsToTheNearestAndTiesToEven) {
  for (std::uint16_t a = 0; a < 0x7bff; ++a) {
    const auto b = static_cast<std::uint16_t>(a + 1);
    const auto middle = static_cast<float>((half_by_definition(a) + half_by_definition(b)) / 2);
    const std::uint16_t even = a % 2 == 0 ? a : b;
    ASSERT_EQ(Float16(middle).bits, even) << a;
    ASSERT_EQ(Float16(std::nextafter(middle, 0.0f)).bits, a) << a;
    ASSERT_EQ(Float16(std::nextafter(middle, infinity)).bits, b) << a;
    ASSERT_EQ(Float16(-middle).bits, even | 0x8000) << a;
    ASSERT_EQ(Float16(std::nextafter(-middle, -infinity)).bits, b | 0x8000) << a;
  }
}

TEST(Float16, OverflowBecomesInfinity) {
  EXPECT_EQ(Float16(65504.0f).bits, 0x7bff);
  EXPECT_EQ(Float16(std::nextafter(65520.0f, 0.0f)).bits, 0x7bff);
  EXPECT_EQ(Float16(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Float16(-65520.0f).bits, 0xfc00);
  EXPECT_EQ(Float16(1e30f).bits, 0x7c00);
  EXPECT_EQ(Float16(infinity).bits, 0x7c00);
  EXPECT_EQ(Float16(-infinity).bits, 0xfc00);
}

TEST(Float16, UnderflowBecomesASignedZero) {
  EXPECT_EQ(Float16(0x1p-25f).bits, 0x0000) << "the tie goes to zero";
  EXPECT_EQ(Float16(std::nextafter(0x1p-25f, 1.0f)).bits, 0x0001);
  EXPECT_EQ(Float16(-0x1p-26f).bits, 0x8000);
  EXPECT_EQ(Float16(std::numeric_limits<float>::denorm_min()).bits, 0x0000);
  EXPECT_EQ(Float16(-0.0f).bits, 0x8000);
}

TEST(Float16, KeepsNan) {
  EXPECT_TRUE(std::isnan(static_cast<float>(Float16(nan))));
  EXPECT_TRUE(std::isnan(static_cast<float>(Float16(-nan))));
  // A signalling NaN whose upper bits are all zero must not turn into infinity.
  EXPECT_TRUE(std::isnan(static_cast<float>(Float16(std::bit_cast<float>(0x7f800001u)))));
}

TEST(Float16, RandomFloatsAreRoundedAsByTheDefinition) {
  std::mt19937 random(1);
  for (int i = 0; i < 2'000'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(value)) continue;
    const double magnitude = std::fabs(static_cast<double>(value));
    // One unit in the last place of the result, but no smaller than that of subnormals.
    const double unit = std::ldexp(1.0, std::max(magnitude > 0 ? std::ilogb(magnitude) : -100, -14) - 10);
    const double rounded = std::nearbyint(magnitude / unit) * unit;
    const double expected = std::copysign(rounded > 65504.0 ? infinity : rounded, value);
    ASSERT_EQ(static_cast<double>(static_cast<float>(Float16(value))), expected) << value;
  }
}

TEST(BFloat16, AllValuesAreTheUpperHalvesOfFloatsAndRoundTrip) {
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float value = brain(bits), expected = std::bit_cast<float>(i << 16);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << i;
      ASSERT_TRUE(std::isnan(static_cast<float>(BFloat16(value)))) << i;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(value), i << 16);
      ASSERT_EQ(BFloat16(value).bits, bits);
    }
  }
}

TEST(BFloat16, RoundsToTheNearestAndTiesToEven) {
  for (std::uint32_t a = 0; a < 0x7f80; ++a) {
    const std::uint32_t middle = a << 16 | 0x8000;
    const auto even = static_cast<std::uint16_t>(a % 2 == 0 ? a : a + 1);
    ASSERT_EQ(BFloat16(std::bit_cast<float>(middle)).bits, even) << a;
    ASSERT_EQ(BFloat16(std::bit_cast<float>(middle - 1)).bits, a) << a;
    ASSERT_EQ(BFloat16(std::bit_cast<float>(middle + 1)).bits, a + 1) << a;
    ASSERT_EQ(BFloat16(std::bit_cast<float>(middle | 0x80000000u)).bits, even | 0x8000) << a;
  }
}

TEST(BFloat16, HandlesTheEndsOfTheRange) {
  EXPECT_EQ(BFloat16(infinity).bits, 0x7f80);
  EXPECT_EQ(BFloat16(-infinity).bits, 0xff80);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7f80) << "rounds up to infinity";
  EXPECT_EQ(BFloat16(-0.0f).bits, 0x8000);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::denorm_min()).bits, 0x0000);
  for (const std::uint32_t bits : {0x7f800001u, 0x7fffffffu, 0xff80ffffu, 0xffffffffu})
    EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::bit_cast<float>(bits))))) << bits;
}

}  // namespace
}  // namespace minima::half_test
