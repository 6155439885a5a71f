#include "simulated/tests/ptx/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>

// Instructions on whole numbers and bits, against what the PTX ISA says of them, computed another way.

namespace simulated::ptx::integer_test {
namespace {

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

template <class T> T low(i128 x) { return static_cast<T>(x); }

template <class T> void check_arithmetic(const std::string& type) {
  SCOPED_TRACE(type);
  constexpr unsigned bits = 8 * sizeof(T);
  const std::string unit = "." + type;
  expect_binary<T>("add" + unit, [](T a, T b) { return low<T>(i128{a} + b); });
  expect_binary<T>("sub" + unit, [](T a, T b) { return low<T>(i128{a} - b); });
  expect_binary<T>("mul.lo" + unit, [](T a, T b) { return low<T>(static_cast<i128>(u128(a) * u128(b))); });
  expect_binary<T>("mul.hi" + unit, [](T a, T b) {
    if constexpr (std::is_signed_v<T>) return static_cast<T>((i128{a} * b) >> bits);
    else return static_cast<T>((u128{a} * b) >> bits);
  });
  expect_binary<T>("min" + unit, [](T a, T b) { return std::min(a, b); });
  expect_binary<T>("max" + unit, [](T a, T b) { return std::max(a, b); });
  expect_binary<T>("div" + unit, [](T a, T b) { return b == 0 ? static_cast<T>(-1) : low<T>(i128{a} / b); });
  expect_binary<T>("rem" + unit, [](T a, T b) { return b == 0 ? a : low<T>(i128{a} % b); });
  expect_ternary<T>("mad.lo" + unit,
                    [](T a, T b, T c) { return low<T>(static_cast<i128>(u128(a) * u128(b) + u128(c))); });
}

TEST(PtxInteger, ArithmeticWraps) {
  check_arithmetic<i16>("s16");
  check_arithmetic<u16>("u16");
  check_arithmetic<i32>("s32");
  check_arithmetic<u32>("u32");
  check_arithmetic<i64>("s64");
  check_arithmetic<u64>("u64");
}

TEST(PtxInteger, SignsAreRemovedAndTurned) {
  expect_unary<i32>("neg.s32", [](i32 a) { return low<i32>(-i128{a}); });
  expect_unary<i64>("neg.s64", [](i64 a) { return low<i64>(-i128{a}); });
  expect_unary<i32>("abs.s32", [](i32 a) { return low<i32>(a < 0 ? -i128{a} : a); });
  expect_unary<i64>("abs.s64", [](i64 a) { return low<i64>(a < 0 ? -i128{a} : a); });
}

TEST(PtxInteger, WideProductsHaveAllBits) {
  expect_lanes<i64, i32, i32>("mul.wide.s32", [](i32 a, i32 b) { return i64{a} * b; });
  expect_lanes<u64, u32, u32>("mul.wide.u32", [](u32 a, u32 b) { return u64{a} * b; });
  expect_lanes<u32, u16, u16>("mul.wide.u16", [](u16 a, u16 b) { return u32{a} * b; });
  expect_lanes<u64, u32, u32, u64>("mad.wide.u32", [](u32 a, u32 b, u64 c) { return u64{a} * b + c; });
}

/// Sums and differences of 128 bits, in two halves of 64.
TEST(PtxInteger, CarriesReachTheNextInstruction) {
  const std::vector<u64> values = {0, 1, ~u64{0}, u64{1} << 63, 0x123456789abcdef0u};
  for (const bool subtract : {false, true})
    for (const u64 a : values)
      for (const u64 b : values) {
        std::vector<u64> x = {a, b, b, a}, y(2);
        const std::string op = subtract ? "sub" : "add";
        run_body(
            "ld.global.u64 %d0, [%a0];\nld.global.u64 %d1, [%a0+8];\nld.global.u64 %d2, [%a0+16];\nld.global.u64 %d3, "
            "[%a0+24];\n" +
                op + ".cc.s64 %d4, %d0, %d2;\n" + op +
                "c.s64 %d5, %d1, %d3;\nst.global.u64 [%a1], %d4;\nst.global.u64 [%a1+8], %d5;",
            1, 1, x, y);
        const u128 left = u128{b} << 64 | a, right = u128{a} << 64 | b,
                   expected = subtract ? left - right : left + right;
        EXPECT_EQ(y[0], static_cast<u64>(expected));
        EXPECT_EQ(y[1], static_cast<u64>(expected >> 64));
      }
}

TEST(PtxInteger, ProductsCarryToo) {
  std::vector<u32> x = {0xffffffffu, 0xfffffffeu, 0x80000001u}, y(2);
  run_body(
      "ld.global.u32 %r0, [%a0];\nld.global.u32 %r1, [%a0+4];\nld.global.u32 %r2, [%a0+8];\n"
      "mad.lo.cc.u32 %r3, %r0, %r1, %r2;\nmadc.hi.u32 %r4, %r0, %r1, 0;\nst.global.u32 [%a1], %r3;\nst.global.u32 "
      "[%a1+4], %r4;",
      1, 1, x, y);
  const u64 expected = u64{x[0]} * x[1] + x[2];
  EXPECT_EQ(y[0], static_cast<u32>(expected));
  EXPECT_EQ(y[1], static_cast<u32>(expected >> 32));
}

template <class T> void check_bits(const std::string& unit) {
  expect_binary<T>("and." + unit, [](T a, T b) { return static_cast<T>(a & b); });
  expect_binary<T>("or." + unit, [](T a, T b) { return static_cast<T>(a | b); });
  expect_binary<T>("xor." + unit, [](T a, T b) { return static_cast<T>(a ^ b); });
  expect_unary<T>("not." + unit, [](T a) { return static_cast<T>(~a); });
}

TEST(PtxInteger, LogicWorksOnBits) {
  check_bits<u16>("b16");
  check_bits<u32>("b32");
  check_bits<u64>("b64");
}

/// "Shift amounts greater than the register width N are clamped to N."
TEST(PtxInteger, ShiftsBeyondTheRegisterAreClamped) {
  expect_lanes<u32, u32, u32>("shl.b32", [](u32 a, u32 by) { return by > 31 ? 0 : a << by; });
  expect_lanes<u64, u64, u32>("shl.b64", [](u64 a, u32 by) { return by > 63 ? 0 : a << by; });
  expect_lanes<u16, u16, u32>("shr.u16", [](u16 a, u32 by) { return by > 15 ? u16{0} : static_cast<u16>(a >> by); });
  expect_lanes<u32, u32, u32>("shr.u32", [](u32 a, u32 by) { return by > 31 ? 0 : a >> by; });
  expect_lanes<u64, u64, u32>("shr.u64", [](u64 a, u32 by) { return by > 63 ? 0 : a >> by; });
  expect_lanes<i16, i16, u32>("shr.s16", [](i16 a, u32 by) { return static_cast<i16>(a >> std::min(by, 15u)); });
  expect_lanes<i32, i32, u32>("shr.s32", [](i32 a, u32 by) { return a >> std::min(by, 31u); });
  expect_lanes<i64, i64, u32>("shr.s64", [](i64 a, u32 by) { return a >> std::min(by, 63u); });
}

TEST(PtxInteger, BitsAreCounted) {
  expect_lanes<u32, u32>("popc.b32", [](u32 a) { return static_cast<u32>(__builtin_popcount(a)); });
  expect_lanes<u32, u64>("clz.b64", [](u64 a) { return static_cast<u32>(a == 0 ? 64 : __builtin_clzll(a)); });
  expect_lanes<u32, u32>("clz.b32", [](u32 a) { return static_cast<u32>(a == 0 ? 32 : __builtin_clz(a)); });
  expect_unary<u32>("brev.b32", [](u32 a) {
    u32 result = 0;
    for (int i = 0; i < 32; ++i) result = result << 1 | (a >> i & 1u);
    return result;
  });
}

/// Bit for bit.
template <class T> T insert(T a, T b, u32 from, u32 count) {
  for (u32 i = 0; i < (count & 255) && (from & 255) + i < 8 * sizeof(T); ++i) {
    const T bit = i < 8 * sizeof(T) ? a >> i & 1u : 0;
    b = static_cast<T>((b & ~(T{1} << ((from & 255) + i))) | bit << ((from & 255) + i));
  }
  return b;
}

TEST(PtxInteger, FieldsOfBitsAreInserted) {
  expect_lanes<u32, u32, u32, u32, u32>("bfi.b32", insert<u32>);
  expect_lanes<u64, u64, u64, u32, u32>("bfi.b64", insert<u64>);
}

TEST(PtxInteger, BytesAreChosen) {
  expect_lanes<u32, u32, u32, u32>("prmt.b32", [](u32 a, u32 b, u32 selector) {
    u32 result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned which = selector >> 4 * i & 15;
      const auto byte = static_cast<std::int8_t>((which & 4 ? b : a) >> 8 * (which & 3));
      const u32 value = which & 8 ? (byte < 0 ? 255u : 0u) : static_cast<std::uint8_t>(byte);
      result |= value << 8 * i;
    }
    return result;
  });
}

TEST(PtxInteger, FunnelsShiftTwoRegisters) {
  const auto both = [](u32 a, u32 b) { return u64{b} << 32 | a; };
  expect_lanes<u32, u32, u32, u32>(
      "shf.l.wrap.b32", [&](u32 a, u32 b, u32 by) { return static_cast<u32>(both(a, b) << (by & 31) >> 32); });
  expect_lanes<u32, u32, u32, u32>("shf.r.wrap.b32",
                                   [&](u32 a, u32 b, u32 by) { return static_cast<u32>(both(a, b) >> (by & 31)); });
  expect_lanes<u32, u32, u32, u32>(
      "shf.r.clamp.b32", [&](u32 a, u32 b, u32 by) { return static_cast<u32>(both(a, b) >> std::min(by, 32u)); });
}

template <class T> void check_comparisons(const std::string& type) {
  SCOPED_TRACE(type);
  const auto expect = [&](const std::string& name, auto f) {
    expect_lanes<u32, T, T>("setp." + name + "." + type, [&](T a, T b) { return f(a, b) ? 1u : 0u; });
  };
  expect("eq", [](T a, T b) { return a == b; });
  expect("ne", [](T a, T b) { return a != b; });
  expect("lt", [](T a, T b) { return a < b; });
  expect("le", [](T a, T b) { return a <= b; });
  expect("gt", [](T a, T b) { return a > b; });
  expect("ge", [](T a, T b) { return a >= b; });
}

TEST(PtxInteger, ComparisonsKnowSigns) {
  check_comparisons<i16>("s16");
  check_comparisons<u16>("u16");
  check_comparisons<i32>("s32");
  check_comparisons<u32>("u32");
  check_comparisons<i64>("s64");
  check_comparisons<u64>("u64");
}

TEST(PtxInteger, ConversionsTruncateAndExtend) {
  expect_lanes<u64, u32>("cvt.u64.u32", [](u32 a) { return u64{a}; });
  expect_lanes<i64, i32>("cvt.s64.s32", [](i32 a) { return i64{a}; });
  expect_lanes<u32, u64>("cvt.u32.u64", [](u64 a) { return static_cast<u32>(a); });
  expect_lanes<u16, u32>("cvt.u16.u32", [](u32 a) { return static_cast<u16>(a); });
  expect_lanes<i32, u16>("cvt.s32.s8", [](u16 a) { return i32{static_cast<std::int8_t>(a)}; });
  expect_lanes<i64, u16>("cvt.s64.s8", [](u16 a) { return i64{static_cast<std::int8_t>(a)}; });
  expect_lanes<u32, u16>("cvt.u32.u8", [](u16 a) { return u32{static_cast<std::uint8_t>(a)}; });
  expect_lanes<u32, i32>("cvt.sat.u8.s32", [](i32 a) { return static_cast<u32>(std::clamp(a, 0, 255)); });
}

}  // namespace
}  // namespace simulated::ptx::integer_test
