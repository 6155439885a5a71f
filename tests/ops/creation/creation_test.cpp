#include <minima/ops/creation/creation.h>

#include "tests/ops/checks/op_cases.h"
#include "tests/support/device.h"

#include <minima/ops/creation/random.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::creation_test {
namespace {

using test::FunctionCases;

using Floats = std::vector<float>;
using Longs = std::vector<std::int64_t>;

TEST(Arange, OfFractionsIsFloat32) {
  const Tensor quarters = arange(0, 1, 0.25);
  EXPECT_EQ(quarters.dtype(), float32);
  EXPECT_EQ(quarters.to_vector<float>(), (Floats{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(arange(0.5, 3).dtype(), float32);
  EXPECT_EQ(arange(0.5, 3).to_vector<float>(), (Floats{0.5, 1.5, 2.5}));
  EXPECT_EQ(arange(2.5).to_vector<float>(), (Floats{0, 1, 2}));
  EXPECT_EQ(arange(1, 0, -0.5).to_vector<float>(), (Floats{1, 0.5}));
}

TEST(Arange, OfWholeNumbersIsInt64) {
  EXPECT_EQ(arange(3).dtype(), int64);
  EXPECT_EQ(arange(1, 8, 3).to_vector<std::int64_t>(), (Longs{1, 4, 7}));
  EXPECT_EQ(arange(1, 7, 3).to_vector<std::int64_t>(), (Longs{1, 4}));
  EXPECT_EQ(arange(5, 0, -2).to_vector<std::int64_t>(), (Longs{5, 3, 1}));
  EXPECT_EQ(arange(2, 2).numel(), 0);
}

TEST(Arange, OptionsSayWhatElse) {
  EXPECT_EQ(arange(3, {.dtype = float64}).dtype(), float64);
  EXPECT_EQ(arange(0.5, 3, 1, {.dtype = int64}).to_vector<std::int64_t>(), (Longs{0, 1, 2}));
  EXPECT_EQ(arange(3, {.device = Device::cpu()}).dtype(), int64);  // a device alone leaves the dtype as it is
  EXPECT_EQ(arange(2, 5, {.dtype = float64}).to_vector<double>(), (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(arange(0.5, 3, {.device = Device::cpu()}).dtype(), float32);
  EXPECT_EQ(randint(0, 9, 4, {.device = Device::cpu()}).dtype(), int64);
  const TensorOptions options{.dtype = int32};
  EXPECT_EQ(arange(3, options).dtype(), int32);
}

TEST(LikeAnother, TakesWhatOptionsLeaveOut) {
  const Tensor x = t(empty({2, 3}, {.dtype = float64}));
  EXPECT_EQ(zeros_like(x, {.dtype = int64}).dtype(), int64);
  EXPECT_EQ(zeros_like(x, {.device = Device::cpu()}).dtype(), float64);
  EXPECT_EQ(ones_like(x, {.dtype = float32}).to_vector<float>(), (Floats(6, 1)));
  EXPECT_EQ(empty_like(x, {.dtype = uint8}).strides(), x.strides());
  EXPECT_EQ(ones_like(x).dtype(), float64);
  EXPECT_EQ(full_like(x, 3).to_vector<double>(), (std::vector<double>(6, 3)));
  EXPECT_EQ(full_like(x, 3).strides(), x.strides());
  EXPECT_EQ(full_like(x, 3.7, {.dtype = int64}).to_vector<std::int64_t>(), (Longs(6, 3)));
  EXPECT_THROW(full_like(zeros({2}, {.dtype = uint8}), 300), ValueError);
}

TEST(Grids, IndicesOfTrianglesAreInRowMajorOrder) {
  SKIP_WITHOUT_TEST_DEVICE();
  const auto list = [](const Tensor& x) { return x.to_vector<std::int64_t>(); };
  EXPECT_EQ(list(tril_indices(3, 2, 0, {.device = test::test_device()})),
            (std::vector<std::int64_t>{0, 1, 1, 2, 2, 0, 0, 1, 0, 1}));
  EXPECT_EQ(list(triu_indices(2, 3, 1, {.device = test::test_device()})),
            (std::vector<std::int64_t>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(tril_indices(3, 2, 0, {.dtype = int32}).dtype(), int32);
  EXPECT_EQ(tril_indices(3, 2, 0, {.device = Device::cpu()}).dtype(), int64);
  EXPECT_EQ(tril_indices(0, 3).shape(), (Shape{2, 0}));
  EXPECT_THROW(tril_indices(-1, 3), ValueError);
  EXPECT_THROW(triu_indices(2, 300, 0, {.dtype = int8}), ValueError);
  EXPECT_THROW(triu_indices(std::int64_t{1} << 40, std::int64_t{1} << 40), Error);
}

TEST(Grids, LogspaceIsEvenInTheExponent) {
  EXPECT_TRUE(allclose(logspace(0, 3, 4), tensor<float>({1, 10, 100, 1000})));
  EXPECT_TRUE(allclose(logspace(3, 1, 3, 2, {.dtype = float64}), tensor<double>({8, 4, 2})));
  EXPECT_TRUE(allclose(logspace(0, 2, 3, {.dtype = float64}), tensor<double>({1, 10, 100})));
  EXPECT_EQ(logspace(0, 1, 0).numel(), 0);
  EXPECT_THROW(logspace(0, 1, -1), ValueError);
}

TEST(Eye, TakesOptionsWithoutANumberOfColumns) {
  const Tensor unit = eye(2, {.dtype = float64});
  EXPECT_EQ(unit.dtype(), float64);
  EXPECT_EQ(unit.to_vector<double>(), (std::vector<double>{1, 0, 0, 1}));
  EXPECT_EQ(eye(2).dtype(), float32);
  EXPECT_EQ(eye(2, 3, {.dtype = int64}).to_vector<std::int64_t>(), (Longs{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(eye(1, TensorOptions{.dtype = boolean}).shape(), (Shape{1, 1}));
}

TEST(NestedTensor, WholeNumbersAreInt64FractionsFloat32) {
  EXPECT_EQ(tensor({1, 2, 3}).dtype(), int64);
  EXPECT_EQ(tensor({1, 2, 3}).shape(), Shape(3));
  EXPECT_EQ(tensor({1.0, 2.0}).dtype(), float32);
  EXPECT_EQ(tensor({1, 2.5}).to_vector<float>(), (Floats{1, 2.5}));
  EXPECT_EQ(tensor({true, false}).dtype(), boolean);
  EXPECT_EQ(tensor({true, 2}).dtype(), int64);
  EXPECT_EQ(tensor({}).dtype(), float32);
  EXPECT_EQ(tensor({1, 2}, {.dtype = float64}).dtype(), float64);
  EXPECT_EQ(tensor<double>({1, 2}).dtype(), float64);
  EXPECT_EQ(tensor<std::int32_t>({1, 2}).dtype(), int32);
  EXPECT_EQ(tensor<Float16>({Float16(1.5f)}).to_vector<float>(), (Floats{1.5}));
  const std::int64_t most = INT64_MAX;
  EXPECT_EQ(tensor({most, -most - 1}).to_vector<std::int64_t>(), (Longs{most, -most - 1}));
}

TEST(NestedTensor, BracesAreDimensions) {
  EXPECT_EQ(tensor(7).shape(), Shape{});
  EXPECT_EQ(tensor({{1, 2}, {3, 4}}).shape(), (Shape{2, 2}));
  EXPECT_EQ(tensor({{1, 2}, {3, 4}}).to_vector<std::int64_t>(), (Longs{1, 2, 3, 4}));
  EXPECT_EQ(tensor({{1}, {2}}).shape(), (Shape{2, 1}));
  EXPECT_EQ(tensor({{1}}).shape(), (Shape{1, 1}));
  EXPECT_EQ(tensor<float>({{1}, {2}}).shape(), (Shape{2, 1}));
  EXPECT_EQ(tensor({{{1, 2, 3}}, {{4, 5, 6}}}).shape(), (Shape{2, 1, 3}));
  EXPECT_EQ(tensor({}).shape(), Shape(0));
  EXPECT_EQ(tensor({{}, {}}).shape(), (Shape{2, 0}));
  const std::int64_t n = 3;
  EXPECT_EQ(tensor({{n, n + 1}}).to_vector<std::int64_t>(), (Longs{3, 4}));
}

std::string refusal(void (*f)()) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(NestedTensor, ThrowsForUnequalLists) {
  EXPECT_EQ(refusal([] { tensor({{1, 2}, {3}}); }),
            "tensor: lists of sizes 2 and 1 at depth 1; all must have the same size");
  EXPECT_EQ(refusal([] { tensor({{{1}, {2}}, {{3}}}); }),
            "tensor: lists of sizes 2 and 1 at depth 1; all must have the same size");
  EXPECT_EQ(refusal([] { tensor({{1}, {{2}}}); }), "tensor: numbers and lists are mixed at depth 2");
  EXPECT_EQ(refusal([] { tensor({{}, {1}}); }),
            "tensor: lists of sizes 0 and 1 at depth 1; all must have the same size");
  EXPECT_THROW(tensor({{1}, 2}), ShapeError);
  EXPECT_THROW(tensor({1, {2}}), ShapeError);
}

TEST(NestedTensor, ThrowsForNumbersThatTheDTypeCannotHold) {
  EXPECT_EQ(refusal([] { tensor<std::uint8_t>({1, 300}); }), "tensor: uint8 cannot hold 300");
  EXPECT_THROW(tensor<std::uint8_t>({-1}), ValueError);
  EXPECT_THROW(tensor<std::int64_t>({0.5}), ValueError);
}

TEST(OneNumber, IsAShape) {
  EXPECT_EQ(zeros(3).shape(), Shape{3});
  EXPECT_EQ(empty(3, {.dtype = int8}).shape(), Shape{3});
  EXPECT_EQ(empty({3}).shape(), Shape{3});
  EXPECT_EQ(empty({3, 4}).shape(), (Shape{3, 4}));
  EXPECT_EQ(randn(std::size_t{2}).shape(), Shape{2});
  EXPECT_EQ(view(zeros({2, 3}), -1).shape(), Shape{6});
  float values[6] = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(from_blob(values, {2, 3}).to_vector<float>(), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(from_blob(values, 6).shape(), Shape{6});
}

[[maybe_unused]] const bool zeros_calls = FunctionCases("zeros")
                                              .huge([](auto v) { zeros({v}); })
                                              .huge([](auto v) { zeros({v, v, 0}); })
                                              .huge([](auto v) { zeros({0, v, v}); })
                                              .check();

[[maybe_unused]] const bool ones_calls =
    FunctionCases("ones").huge([](auto v) { ones({2, v}, {.dtype = float64}); }).check();

[[maybe_unused]] const bool full_calls = FunctionCases("full").huge([](auto v) { full({v, v}, 1); }).check();

[[maybe_unused]] const bool arange_calls =
    FunctionCases("arange")
        .huge([](auto v) { arange(v); })
        .huge([](auto v) { arange(v, 0, -1); })
        .huge([](auto v) { arange(v, INT64_MAX); })
        .huge([](auto v) { arange(INT64_MIN, v); })
        .huge([](auto v) { arange(v, INT64_MAX, std::int64_t{1} << 61); })
        .huge([](auto v) { arange(0, 10, v); })
        .huge([](auto v) { arange(0.5, static_cast<double>(v), 1, {.dtype = float32}); })
        .check();

[[maybe_unused]] const bool linspace_calls = FunctionCases("linspace").huge([](auto v) { linspace(0, 1, v); }).check();

[[maybe_unused]] const bool logspace_calls = FunctionCases("logspace")
                                                 .huge([](auto v) { logspace(0, 1, v); })
                                                 .huge([](auto v) { logspace(0, 1, v, {.dtype = float64}); })
                                                 .check();

[[maybe_unused]] const bool eye_calls = FunctionCases("eye")
                                            .huge([](auto v) { eye(v); })
                                            .huge([](auto v) { eye(v, {.dtype = float64}); })
                                            .huge([](auto v) { eye(2, v); })
                                            .huge([](auto v) { eye(0, v); })
                                            .huge([](auto v) { eye(v, 0); })
                                            .check();

[[maybe_unused]] const bool tril_indices_calls = FunctionCases("tril_indices")
                                                     .huge([](auto v) { tril_indices(v, 2); })
                                                     .huge([](auto v) { tril_indices(2, v); })
                                                     .huge([](auto v) { tril_indices(2, 2, v); })
                                                     .check();

[[maybe_unused]] const bool triu_indices_calls = FunctionCases("triu_indices")
                                                     .huge([](auto v) { triu_indices(v, 2); })
                                                     .huge([](auto v) { triu_indices(2, v); })
                                                     .huge([](auto v) { triu_indices(2, 2, v); })
                                                     .check();

[[maybe_unused]] const bool empty_like_calls =
    FunctionCases("empty_like").undefined([](const Tensor& none) { empty_like(none); }).check();

[[maybe_unused]] const bool zeros_like_calls =
    FunctionCases("zeros_like").undefined([](const Tensor& none) { zeros_like(none); }).check();

[[maybe_unused]] const bool ones_like_calls =
    FunctionCases("ones_like").undefined([](const Tensor& none) { ones_like(none); }).check();

[[maybe_unused]] const bool full_like_calls =
    FunctionCases("full_like").undefined([](const Tensor& none) { full_like(none, 1); }).check();

}  // namespace
}  // namespace minima::creation_test
