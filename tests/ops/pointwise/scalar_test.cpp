#include "tests/support/compare.h"
#include "tests/support/expect_error.h"

#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

// Numbers that the tensor's dtype cannot hold: what operators compute with, or the error they throw.

namespace minima::scalar_test {
namespace {

using test::message_of;
using Bytes = std::vector<std::uint8_t>;
using Bools = std::vector<bool>;
using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();

Tensor bytes() { return tensor<std::uint8_t>({0, 5, 44, 100, 250, 255}); }

TEST(Scalars, ClampTakesItsBoundsAsNumbers) {
  const Bytes unchanged = bytes().to_vector<std::uint8_t>();
  EXPECT_EQ(clamp(bytes(), 0, 256).to_vector<std::uint8_t>(), unchanged);
  EXPECT_EQ(clamp(bytes(), -1, 300).to_vector<std::uint8_t>(), unchanged);
  EXPECT_EQ(clamp(bytes(), least, most).to_vector<std::uint8_t>(), unchanged);
  const Tensor x = bytes();
  clamp_(x, -10, 200);
  EXPECT_EQ(x.to_vector<std::uint8_t>(), (Bytes{0, 5, 44, 100, 200, 200}));
  EXPECT_EQ(clamp(tensor<std::int32_t>({-5, 7, 100000}), 0, most).to_vector<std::int32_t>(), (Ints{0, 7, 100000}));
  EXPECT_EQ(clamp(tensor<std::int8_t>({-128, 3, 127}), -1000, 100).to_vector<int>(), (std::vector<int>{-128, 3, 100}));
  EXPECT_EQ(clamp(bytes(), 0.5, 2.5).dtype(), DType::float32);
}

TEST(Scalars, ClampRefusesBoundsThatNoElementCanKeep) {
  EXPECT_EQ(message_of<ValueError>([] { clamp(bytes(), 300, 400); }),
            "clamp: no uint8 is at least 300; convert x with to()");
  EXPECT_EQ(message_of<ValueError>([] { clamp(bytes(), -7, -5); }),
            "clamp: no uint8 is at most -5; convert x with to()");
}

TEST(Scalars, ClampWithCrossedBoundsGivesTheUpperOne) {
  EXPECT_EQ(clamp(tensor<float>({-1, 0, 1, 5}), 3, 1).to_vector<float>(), (Floats{1, 1, 1, 1}));
  EXPECT_EQ(clamp(tensor<std::int32_t>({-1, 2, 9}), 5, 1).to_vector<std::int32_t>(), (Ints{1, 1, 1}));
}

TEST(Scalars, ClampWithABoundOfNanGivesNan) {
  for (const Tensor& y : {clamp(tensor<float>({-1, 0, 2}), NAN, 1), clamp(tensor<float>({-1, 0, 2}), -1, NAN)})
    for (const float value : y.to_vector<float>()) EXPECT_TRUE(std::isnan(value));
  EXPECT_TRUE(std::isnan(clamp(tensor<float>({NAN}), 0, 1).to_vector<float>()[0]));
}

TEST(Scalars, BoundsOnOneSideAreNumbersToo) {
  EXPECT_EQ(clamp_max(bytes(), 300).to_vector<std::uint8_t>(), bytes().to_vector<std::uint8_t>());
  EXPECT_EQ(clamp_min(bytes(), -1).to_vector<std::uint8_t>(), bytes().to_vector<std::uint8_t>());
  EXPECT_THROW(clamp_min(bytes(), 256), ValueError);
  EXPECT_THROW(maximum(bytes(), 300), ValueError);
  EXPECT_THROW(where(bytes() > 3, bytes(), 300), ValueError);
  EXPECT_THROW(remainder(bytes(), -3), ValueError);
}

TEST(Scalars, ElementsMustFit) {
  const std::string refused = ": uint8 cannot hold 300; choose another value or dtype";
  EXPECT_EQ(message_of<ValueError>([] { full({2}, 300, {.dtype = DType::uint8}); }), "full" + refused);
  EXPECT_EQ(message_of<ValueError>([] { fill_(bytes(), 300); }), "fill_" + refused);
  EXPECT_EQ(message_of<ValueError>([] { masked_fill(bytes(), bytes() > 3, 300); }), "masked_fill" + refused);
  EXPECT_EQ(message_of<ValueError>([] { masked_fill_(bytes(), bytes() > 3, 300); }), "masked_fill" + refused);
  EXPECT_EQ(message_of<ValueError>([] { pad(bytes(), {1, 1}, PadMode::constant, 300); }), "pad" + refused);
  EXPECT_EQ(message_of<ValueError>([] { scalar_tensor(300, {.dtype = DType::uint8}); }), "scalar_tensor" + refused);
  EXPECT_EQ(message_of<ValueError>([] { index_put_(bytes(), {0}, 300); }), "full" + refused);
  EXPECT_EQ(message_of<ValueError>([] { arange(0, 301, 100, {.dtype = DType::uint8}); }), "arange" + refused);
  EXPECT_EQ(message_of<ValueError>([] { linspace(300, 0, 4, {.dtype = DType::uint8}); }), "linspace" + refused);
  EXPECT_EQ(message_of<ValueError>([] { randint(0, 300, {2}, {.dtype = DType::uint8}); }),
            "randint: uint8 cannot hold 299; choose other bounds or another dtype");
  EXPECT_THROW(randint(-1, 3, {2}, {.dtype = DType::uint8}), ValueError);
  EXPECT_EQ(randint(0, 256, {2}, {.dtype = DType::uint8}).numel(), 2);
  EXPECT_THROW(scalar_tensor(NAN, {.dtype = DType::int32}), ValueError);
  EXPECT_THROW(scalar_tensor(0x1p63, {.dtype = DType::int64}), ValueError);
  EXPECT_THROW(scalar_tensor(1e6, {.dtype = DType::float16}), ValueError);
  EXPECT_THROW(scalar_tensor(3.4e38, {.dtype = DType::bfloat16}), ValueError);
  EXPECT_THROW(scalar_tensor(1e300), ValueError);
  EXPECT_EQ(scalar_tensor(-1, {.dtype = DType::uint8}).item<int>(), 255);
  EXPECT_EQ(scalar_tensor(2.9, {.dtype = DType::uint8}).item<int>(), 2);
  EXPECT_EQ(pad(bytes(), {1, 0}, PadMode::constant, 2.9).to_vector<int>()[0], 2);
  EXPECT_TRUE(std::isinf(scalar_tensor(INFINITY, {.dtype = DType::float16}).item<float>()));
}

TEST(Scalars, UnsignedNumbersBeyondInt64AreRefused) {
  EXPECT_EQ(message_of<ValueError>([] { full({1}, std::numeric_limits<std::uint64_t>::max()); }),
            "Scalar: 18446744073709551615 is beyond int64; write it as a floating number");
  EXPECT_EQ(full({1}, std::uint64_t{7}).item<float>(), 7);
}

TEST(Scalars, BoolMeetsBool) {
  const Tensor x = tensor<bool>({true, false});
  EXPECT_EQ(add(x, true).dtype(), DType::boolean);
  EXPECT_EQ(add(x, true).to_vector<bool>(), (Bools{true, true}));
  EXPECT_EQ((true + x).to_vector<bool>(), (Bools{true, true}));
  EXPECT_EQ(mul(x, true).to_vector<bool>(), (Bools{true, false}));
  EXPECT_EQ((x * false).to_vector<bool>(), (Bools{false, false}));
  Tensor y = clone(x);
  y += true;
  EXPECT_EQ(y.to_vector<bool>(), (Bools{true, true}));
  y *= false;
  EXPECT_EQ(y.to_vector<bool>(), (Bools{false, false}));
  add_(y, true);
  mul_(y, true);
  EXPECT_EQ(y.to_vector<bool>(), (Bools{true, true}));
  EXPECT_EQ(add(x, 1).dtype(), DType::int64);
  for (const auto& call : {std::function<void()>([&] { sub(x, true); }), std::function<void()>([&] { y -= true; })})
    EXPECT_EQ(message_of<DTypeError>(call),
              "sub: needs tensors of numbers, got bool [2] and bool []; convert them with to()");
}

TEST(Scalars, ComparisonsSeeTheNumberItself) {
  EXPECT_EQ((bytes() == 300).to_vector<bool>(), Bools(6, false));
  EXPECT_EQ((bytes() > -1).to_vector<bool>(), Bools(6, true));
  EXPECT_EQ((bytes() != 256).to_vector<bool>(), Bools(6, true));
  EXPECT_EQ((tensor<std::int32_t>({-7, 0, 7}) < std::int64_t{1} << 40).to_vector<bool>(), Bools(3, true));
  EXPECT_EQ((tensor<std::int32_t>({2, 3}) > 2.5).to_vector<bool>(), (Bools{false, true}));
  const Tensor half = tensor<float>({65504, INFINITY, -INFINITY}).to(DType::float16);
  EXPECT_EQ((half == 70000).to_vector<bool>(), Bools(3, false));
  EXPECT_EQ((half > 70000).to_vector<bool>(), (Bools{false, true, false}));
  EXPECT_EQ((tensor<float>({INFINITY, 1}) == 1e300).to_vector<bool>(), (Bools{false, false}));
  EXPECT_EQ((tensor<float>({0.1f}) == 0.1).to_vector<bool>(), Bools{true});
}

TEST(Scalars, SumsAndProductsOfIntegersWrapAsIntegersDo) {
  EXPECT_EQ((bytes() + 300).to_vector<std::uint8_t>(), (bytes() + 44).to_vector<std::uint8_t>());
  EXPECT_EQ((bytes() - 1).to_vector<std::uint8_t>(), (Bytes{255, 4, 43, 99, 249, 254}));
  EXPECT_EQ((bytes() * 257).to_vector<std::uint8_t>(), bytes().to_vector<std::uint8_t>());
  EXPECT_EQ((tensor<std::int64_t>({3}) - least).item<std::int64_t>(), least + 3);
}

TEST(Scalars, TheSmallestIntegerHasAnOppositeAmongFloatingNumbers) {
  EXPECT_EQ((tensor<float>({0}) - least).item<float>(), 0x1p63f);
  Tensor x = tensor<float>({0});
  x -= least;
  EXPECT_EQ(x.item<float>(), 0x1p63f);
}

TEST(Linspace, OneValueIsTheFirst) {
  EXPECT_EQ(linspace(0, 10, 1).to_vector<float>(), Floats{0});
  EXPECT_EQ(linspace(2, 10, 2).to_vector<float>(), (Floats{2, 10}));
  EXPECT_EQ(linspace(0, 10, 3).to_vector<float>(), (Floats{0, 5, 10}));
  EXPECT_EQ(linspace(0, 10, 0).numel(), 0);
}

}  // namespace
}  // namespace minima::scalar_test
