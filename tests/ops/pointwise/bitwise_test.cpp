#include <minima/ops/pointwise/bitwise.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::bitwise_test {
namespace {

using namespace test;

std::vector<DType> bit_dtypes() { return {boolean, uint8, int8, int32, int64}; }

template <class F>
auto on_whole(F f) {
  return [f](double a, double b) {
    return static_cast<double>(f(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
  };
}

bool bitwise(OpCases cases, Tensor (*f)(const Tensor&, const Tensor&),
             const Tensor& (*in_place)(const Tensor&, const Tensor&), double (*reference)(double, double)) {
  const std::string name = cases.name();
  return cases.dtypes(bit_dtypes())
      .result_layout(ResultLayout::like_input)
      .no_gradient()
      .on([=](In in) { return f(in[0], in[1]); }, elementwise(reference))
      .pointwise_inputs(2, whole({}, -100, 100), false)
      .in_place([=](In in) { in_place(in[0], in[1]); })
      .error<ShapeError>([=] { f(zeros(2, {.dtype = int8}), zeros(3, {.dtype = int8})); },
                         name + ": shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
      .error<DTypeError>([=] { f(zeros(2), zeros(2, {.dtype = int8})); },
                         name + ": needs integer or bool tensors, got float32 [2] and int8 [2]; convert them with to()")
      .error<DTypeError>([=] { in_place(zeros(2, {.dtype = boolean}), zeros(2, {.dtype = int64})); },
                         name + ": a int64 result cannot be stored in place in bool [2]")
      .check();
}
[[maybe_unused]] const bool and_cases = bitwise(
    OpCases("bitwise_and")
        .undefined([](const Tensor& none) { bitwise_and(none, 2); })
        .undefined([](const Tensor& none) { bitwise_and_(none, 1); }),
    bitwise_and, bitwise_and_,
    +[](double a, double b) { return on_whole([](auto x, auto y) { return x & y; })(a, b); });
[[maybe_unused]] const bool or_cases = bitwise(
    OpCases("bitwise_or").undefined([](const Tensor& none) { bitwise_or(none, 2); }).undefined([](const Tensor& none) {
      bitwise_or_(none, 1);
    }),
    bitwise_or, bitwise_or_, +[](double a, double b) { return on_whole([](auto x, auto y) { return x | y; })(a, b); });
[[maybe_unused]] const bool xor_cases = bitwise(
    OpCases("bitwise_xor")
        .undefined([](const Tensor& none) { bitwise_xor(none, 2); })
        .undefined([](const Tensor& none) { bitwise_xor_(none, 1); }),
    bitwise_xor, bitwise_xor_,
    +[](double a, double b) { return on_whole([](auto x, auto y) { return x ^ y; })(a, b); });

[[maybe_unused]] const bool left_shift_cases =
    OpCases("bitwise_left_shift")
        .dtypes(integer_dtypes())
        .result_layout(ResultLayout::like_input)
        .no_gradient()
        .on([](In in) { return bitwise_left_shift(in[0], in[1]); },
            elementwise([](double a, double b) { return a * std::exp2(b); }))
        .pytorch("torch.bitwise_left_shift")
        .pointwise_inputs(2, whole({}, 0, 4), false)
        .error<ShapeError>(
            [] { bitwise_left_shift(sized({2}, int8), sized({3}, int8)); },
            "bitwise_left_shift: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { bitwise_left_shift(sized({2}), sized({2})); },
                           "bitwise_left_shift: needs integer or bool tensors, got float32 [2] and float32 [2]; "
                           "convert them with to()")
        .check();
[[maybe_unused]] const bool right_shift_cases =
    OpCases("bitwise_right_shift")
        .dtypes(integer_dtypes())
        .result_layout(ResultLayout::like_input)
        .no_gradient()
        .on([](In in) { return bitwise_right_shift(in[0], in[1]); },
            elementwise([](double a, double b) { return std::floor(a * std::exp2(-b)); }))
        .pytorch("torch.bitwise_right_shift")
        .pointwise_inputs(2, whole({}, 0, 9), false)
        .inputs(whole({4, 4}, -100, 100), given({4}, {0, 1, 3, 7}))
        .error<ShapeError>(
            [] { bitwise_right_shift(sized({2}, int8), sized({3}, int8)); },
            "bitwise_right_shift: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { bitwise_right_shift(sized({2}), sized({2})); },
                           "bitwise_right_shift: needs integer or bool tensors, got float32 [2] and float32 [2]; "
                           "convert them with to()")
        .check();

TEST(Shifts, ByMoreThanTheirBitsLeaveTheSignOnly) {
  const Tensor x = tensor<std::int32_t>({1, -5, 3, -1}), by = tensor<std::int32_t>({32, 40, -1, -2});
  EXPECT_EQ(bitwise_left_shift(x, by).to_vector<int>(), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(bitwise_right_shift(x, by).to_vector<int>(), (std::vector<int>{0, -1, 0, -1}));
}

[[maybe_unused]] const bool not_cases =
    OpCases("bitwise_not")
        .dtypes(bit_dtypes())
        .result_layout(ResultLayout::like_input)
        .no_gradient()
        .on(
            [](In in) {
              return bitwise_not(in[0]) & true;
            },  // the last bit, which is one formula for all dtypes; all bits below
            elementwise([](double x) -> double { return std::fmod(x, 2) == 0; }), "last bit")
        .pointwise_inputs(1, whole({}, -100, 100), false)
        .error<DTypeError>([] { bitwise_not(zeros(2)); },
                           "bitwise_not: needs an integer or bool tensor, got float32 [2]; convert it with to()")
        .check();

using Bytes = std::vector<std::uint8_t>;
using Longs = std::vector<std::int64_t>;

TEST(Bitwise, NotTurnsEveryBit) {
  EXPECT_EQ((~tensor<std::int8_t>({0, -1, 127})).to_vector<std::int64_t>(), (Longs{-1, 0, -128}));
  EXPECT_EQ((~tensor({0, -1, INT64_MAX})).to_vector<std::int64_t>(), (Longs{-1, 0, INT64_MIN}));
  EXPECT_EQ((~tensor<std::uint8_t>({0, 1, 255})).to_vector<std::uint8_t>(), (Bytes{255, 254, 0}));
  EXPECT_EQ((~tensor({true, false})).to_vector<std::uint8_t>(), (Bytes{0, 1}));
  EXPECT_EQ((~tensor({true, false})).dtype(), boolean);
}

TEST(Bitwise, OperatorsCombineMasks) {
  const Tensor x = tensor({-1.0, 0.5, 2.0});
  EXPECT_EQ(((x > 0) & (x < 1)).to_vector<std::uint8_t>(), (Bytes{0, 1, 0}));
  EXPECT_EQ(((x < 0) | (x > 1)).to_vector<std::uint8_t>(), (Bytes{1, 0, 1}));
  EXPECT_EQ(((x > 0) ^ (x > 1)).to_vector<std::uint8_t>(), (Bytes{0, 1, 0}));
  EXPECT_EQ((!(x > 0)).to_vector<std::uint8_t>(), (Bytes{1, 0, 0}));
  EXPECT_EQ((~(x > 0)).to_vector<std::uint8_t>(), (Bytes{1, 0, 0}));
  EXPECT_EQ(((x > 0) & true).dtype(), boolean);
}

TEST(Bitwise, TakesNumbersOnEitherSide) {
  const Tensor x = tensor({1, 2, 3});
  EXPECT_EQ((x & 1).to_vector<std::int64_t>(), (Longs{1, 0, 1}));
  EXPECT_EQ((4 | x).to_vector<std::int64_t>(), (Longs{5, 6, 7}));
  EXPECT_EQ((x ^ 3).to_vector<std::int64_t>(), (Longs{2, 1, 0}));
  EXPECT_EQ((tensor<std::int8_t>({5}) & 4).dtype(), int8);
  EXPECT_EQ((tensor({true}) & 1).dtype(), int64);
  EXPECT_EQ((tensor<std::uint8_t>({255, 6}) & ~1).to_vector<std::uint8_t>(), (Bytes{254, 6}));
  EXPECT_THROW(tensor<std::int8_t>({1}) & 300, ValueError);
  EXPECT_THROW(x & 0.5, DTypeError);
  EXPECT_THROW(Tensor() & 1, ValueError);
}

TEST(Bitwise, AssigningOperatorsChangeTheTensorAndItsViews) {
  Tensor x = tensor({{1, 2}, {3, 4}});
  x &= 3;
  x[0] |= tensor({4, 4});
  x[1] ^= 1;
  EXPECT_EQ(x.to_vector<std::int64_t>(), (Longs{5, 6, 2, 1}));
  EXPECT_THROW(tensor({true}) &= 1, DTypeError);
}

}  // namespace
}  // namespace minima::bitwise_test
