#include <minima/tensor/print.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace minima::print_test {
namespace {

TEST(Print, AlignsColumnsAndNamesShapeAndDtype) {
  const Tensor x = from_vector<float>({1, -2.5, 0, 3}, {2, 2});
  EXPECT_EQ(to_string(x), "[[ 1.0000, -2.5000],\n [ 0.0000,  3.0000]]  float32 [2, 2]");
}

TEST(Print, ShowsWholeNumbersWithAPointAndIntegersWithout) {
  EXPECT_EQ(to_string(tensor<double>({1, 20})), "[ 1., 20.]  float64 [2]");
  EXPECT_EQ(to_string(tensor<std::int64_t>({1, -20})), "[  1, -20]  int64 [2]");
  EXPECT_EQ(to_string(tensor<bool>({true, false})), "[ true, false]  bool [2]");
}

TEST(Print, KeepsLargeIntegersExact) {
  EXPECT_EQ(to_string(tensor<std::int64_t>({9007199254740993})), "[9007199254740993]  int64 [1]");
}

TEST(Print, SwitchesToScientificNotationForWideRanges) {
  EXPECT_EQ(to_string(tensor<float>({1e-6f, 1.5f})), "[1.0000e-06, 1.5000e+00]  float32 [2]");
}

TEST(Print, ShowsNanAndInfinity) {
  EXPECT_EQ(to_string(tensor<float>({NAN, -INFINITY, 0.5f})), "[   nan,   -inf, 0.5000]  float32 [3]");
}

TEST(Print, HandlesRankZeroAndEmptyAndUndefined) {
  EXPECT_EQ(to_string(scalar_tensor(2.5)), "2.5000  float32 []");
  EXPECT_EQ(to_string(empty({0, 3})), "[]  float32 [0, 3]");
  EXPECT_EQ(to_string(Tensor()), "undefined");
}

TEST(Print, SummarisesLargeTensors) {
  const Tensor x = reshape(arange(2000), {2, 1000});
  EXPECT_EQ(to_string(x),
            "[[   0,    1,    2, ...,  997,  998,  999],\n [1000, 1001, 1002, ..., 1997, 1998, 1999]]"
            "  int64 [2, 1000]");
}

/// Only the printed elements are read.
TEST(Print, SummarisesTensorsThatNoMemoryHolds) {
  float one = 1;
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  EXPECT_EQ(to_string(from_blob(&one, Layout{{huge}, {0}, 0})),
            "[1., 1., 1., ..., 1., 1., 1.]  float32 [4611686018427387904]");
  EXPECT_EQ(to_string(empty({huge, 0})), "[[],\n [],\n [],\n ...,\n [],\n [],\n []]  float32 [4611686018427387904, 0]");
  EXPECT_THROW(from_blob(&one, Layout{{huge}, {0}, 0}).to_vector<float>(), OutOfMemoryError);
}

TEST(Print, FollowsStrides) {
  const Tensor x = t(from_vector<float>({1, 2, 3, 4}, {2, 2}));
  std::ostringstream out;
  out << x;
  EXPECT_EQ(out.str(), "[[1., 3.],\n [2., 4.]]  float32 [2, 2]");
}

TEST(Print, WritesWhatTensorsAreMadeOf) {
  std::ostringstream out;
  out << Shape{2, 0, 3} << ' ' << Shape{} << ' ' << DType::bfloat16 << ' ' << Device::cpu() << ' ' << Device::cuda(1);
  EXPECT_EQ(out.str(), "[2, 0, 3] [] bfloat16 cpu cuda:1");
}

}  // namespace
}  // namespace minima::print_test
