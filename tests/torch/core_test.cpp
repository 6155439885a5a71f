#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <sstream>
#include <vector>

namespace minima::core_test {

using torch::Tensor;
using torch::indexing::Ellipsis;
using torch::indexing::None;
using torch::indexing::Slice;

std::string printed(const Tensor& x) { return c10::str(x); }

TEST(Printing, IsLibTorchs) {
  EXPECT_EQ(printed(Tensor()), "[ Tensor (undefined) ]");
  EXPECT_EQ(printed(torch::tensor(2.5)), "2.5\n[ CPUFloatType{} ]");
  EXPECT_EQ(printed(torch::tensor({1, 20, -300})), "   1\n  20\n-300\n[ CPULongType{3} ]");
  EXPECT_EQ(printed(torch::tensor({1234567.5, 2345678.25})), "1e+06 *\n 1.2346\n 2.3457\n[ CPUFloatType{2} ]");
  EXPECT_EQ(printed(torch::tensor({1e-5, 100.0})), " 1.0000e-05\n 1.0000e+02\n[ CPUFloatType{2} ]");
  EXPECT_EQ(printed(torch::tensor({{1.5, 2.0}, {-3.0, 4.25}})),
            " 1.5000  2.0000\n-3.0000  4.2500\n[ CPUFloatType{2,2} ]");
  EXPECT_EQ(printed(torch::arange(4).view({2, 1, 2})),
            "(1,.,.) = \n  0  1\n\n(2,.,.) = \n  2  3\n[ CPULongType{2,1,2} ]");
  EXPECT_EQ(printed(torch::empty({2, 0})), "[ CPUFloatType{2,0} ]");
  EXPECT_EQ(printed(torch::tensor({NAN, 1.5f})), "    nan\n 1.5000\n[ CPUFloatType{2} ]");
}

TEST(Printing, KeepsTheStreamsFormat) {
  std::ostringstream out;
  out << std::setprecision(9) << torch::tensor(0.1, torch::kDouble) << torch::tensor({0.5}) << 1.0 / 3;
  EXPECT_EQ(out.str(), "0.1\n[ CPUDoubleType{} ] 0.5000\n[ CPUFloatType{1} ]0.333333333");
}

TEST(Printing, FreeFunctionWritesToCout) {
  testing::internal::CaptureStdout();
  print(torch::arange(4).view({2, 2}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), " 0  1\n 2  3\n[ CPULongType{2,2} ]");
}

TEST(Printing, SmallTypes) {
  EXPECT_EQ(c10::str(torch::ones({2, 3}).names()), "[None, None]");
  EXPECT_EQ(c10::str(torch::ones({2, 3}).storage()), "1");
  EXPECT_EQ(c10::str(torch::ones({2, 3}).sizes()), "[2, 3]");
  EXPECT_EQ(c10::str(torch::kFloat, torch::kCPU, torch::Device("cuda:1"), torch::kStrided), "Floatcpucuda:1Strided");
  EXPECT_EQ(c10::str(torch::tensor({1}).dtype()), "long int");
  EXPECT_EQ(c10::str(torch::tensor({1}).options()),
            "TensorOptions(dtype=long int, device=cpu, layout=Strided, requires_grad=false (default), "
            "pinned_memory=false (default), memory_format=(nullopt))");
  EXPECT_EQ(c10::str(torch::Scalar(1.5), torch::Scalar(3), torch::Scalar(true)), "1.53true");
}

TEST(Checks, NeedNoSemicolon) {
  const auto check = [](bool condition) { TORCH_CHECK(condition, "no") };
  EXPECT_NO_THROW(check(true));
  EXPECT_THROW(check(false), c10::Error);
}

TEST(Storages, AddressesAreCompared) {
  const Tensor x = torch::ones({2, 3}), other = torch::ones(6);
  EXPECT_TRUE(x.storage().data_ptr() == x.t().storage().data_ptr());
  EXPECT_FALSE(x.storage().data_ptr() == other.storage().data_ptr());
}

TEST(Operators, FollowTheCategoriesOfNumbers) {
  const Tensor i = torch::arange(1, 4), f = torch::ones({3}), d = torch::ones({3}, torch::kDouble);
  EXPECT_EQ((i + 1).scalar_type(), torch::kLong);
  EXPECT_EQ((i + 1.5).scalar_type(), torch::kFloat);
  EXPECT_EQ((i / 2).scalar_type(), torch::kFloat);
  EXPECT_EQ((i / i).scalar_type(), torch::kFloat);
  EXPECT_EQ((f * 2.0).scalar_type(), torch::kFloat);
  EXPECT_EQ((f + d).scalar_type(), torch::kDouble);
  EXPECT_EQ((f * torch::tensor(2.0, torch::kDouble)).scalar_type(), torch::kFloat);
  EXPECT_EQ((f > 0).scalar_type(), torch::kBool);
  EXPECT_TRUE(torch::equal(1 - i, torch::tensor({0, -1, -2})));
  EXPECT_TRUE(torch::equal(6 / i, torch::tensor({6.0, 3.0, 2.0})));
  EXPECT_TRUE(torch::equal(2 < i, torch::tensor({false, false, true})));
  EXPECT_TRUE(torch::equal(-i % 3, torch::tensor({2, 1, 0})));
  EXPECT_TRUE(torch::equal((i > 1) & (i < 3), torch::tensor({false, true, false})));
  const Tensor z = f * c10::Scalar(c10::complex<float>(0, 2));
  EXPECT_EQ(z.scalar_type(), torch::kComplexFloat);
  EXPECT_EQ((z[0].item<c10::complex<float>>()), (c10::complex<float>(0, 2)));
}

TEST(Operators, DivideToTheDefaultDtype) {
  torch::set_default_dtype(torch::scalarTypeToTypeMeta(torch::kDouble));
  EXPECT_EQ((torch::arange(3) / 2).scalar_type(), torch::kDouble);
  EXPECT_EQ((torch::arange(3) * 0.5).scalar_type(), torch::kDouble);
  EXPECT_EQ(torch::tensor({1.5f}).scalar_type(), torch::kDouble);
  torch::set_default_dtype(torch::scalarTypeToTypeMeta(torch::kFloat));
  EXPECT_EQ((torch::arange(3) / 2).scalar_type(), torch::kFloat);
}

TEST(Operators, InPlaceKeepTheTensor) {
  Tensor x = torch::ones({2});
  const Tensor other = x;
  x += 1;
  x *= torch::tensor({2, 3});
  x -= 0.5;
  x /= 2;
  EXPECT_TRUE(torch::equal(other, torch::tensor({1.75, 2.75})));
  EXPECT_THROW(torch::arange(3) += 1.5, c10::Error);
}

TEST(Indexing, AssignmentWritesElements) {
  Tensor x = torch::zeros({3, 4});
  x[1][2] = 5;
  x[0] = torch::arange(4);
  x[2] += 1;
  x.index_put_({Slice(None, None, 2), -1}, 9);
  x.index_put_({x == 5}, -5);
  EXPECT_TRUE(torch::equal(x, torch::tensor({{0., 1., 2., 9.}, {0., 0., -5., 0.}, {1., 1., 1., 9.}})));
  EXPECT_EQ(x.index({Ellipsis, 0}).sizes(), (std::vector<std::int64_t>{3}));
  EXPECT_TRUE(torch::equal(x.index({torch::tensor({2, 0}), Slice(1, 3)}), torch::tensor({{1., 1.}, {1., 2.}})));
  EXPECT_THROW(x[3], c10::IndexError);
}

TEST(Indexing, WritesAreDifferentiated) {
  const Tensor w = torch::ones({2}, torch::requires_grad());
  Tensor x = torch::zeros({3});
  x[0] = w[0] * 2;
  x.index_put_({Slice(1, None)}, w * 3);
  (x * torch::tensor({1., 10., 100.})).sum().backward();
  EXPECT_TRUE(torch::equal(w.grad(), torch::tensor({32., 300.})));
}

TEST(Elements, ConvertWithChecks) {
  EXPECT_EQ(torch::tensor(3.7).item<int>(), 3);
  EXPECT_EQ(torch::tensor(7).item().toLong(), 7);
  EXPECT_EQ(torch::tensor(true).item<float>(), 1);
  EXPECT_THROW(torch::tensor(300).item<std::uint8_t>(), c10::Error);
  EXPECT_THROW(torch::ones({2}).item<float>(), c10::Error);
  EXPECT_THROW(torch::ones({2}).data_ptr<double>(), c10::Error);
  EXPECT_EQ(std::numeric_limits<float>::infinity(), torch::tensor(INFINITY).item<float>());
  Tensor x = torch::arange(6).view({2, 3}).t();
  const auto a = x.accessor<std::int64_t, 2>();
  EXPECT_EQ(a[2][1], 5);
  EXPECT_EQ(a.size(0), 3);
}

TEST(FromBlob, SharesMemoryAndCallsTheDeleter) {
  float data[6] = {0, 1, 2, 3, 4, 5};
  int calls = 0;
  {
    Tensor x = torch::from_blob(data, {3, 2}, {1, 3}, [&](void*) { ++calls; });
    EXPECT_EQ((x[1][1].item<float>()), 4);
    x[2][0] = 7;
    Tensor view = x.select(1, 0);
    x.reset();
    EXPECT_EQ(calls, 0);
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(data[2], 7);
}

TEST(Types, PromoteAsInPyTorch) {
  EXPECT_EQ(torch::promote_types(torch::kByte, torch::kChar), torch::kShort);
  EXPECT_EQ(torch::promote_types(torch::kHalf, torch::kBFloat16), torch::kFloat);
  EXPECT_EQ(torch::promote_types(torch::kLong, torch::kHalf), torch::kHalf);
  EXPECT_EQ(torch::promote_types(torch::kDouble, torch::kComplexFloat), torch::kComplexDouble);
  EXPECT_EQ(torch::result_type(torch::ones({2}, torch::kInt), 1.5), torch::kFloat);
  EXPECT_FALSE(torch::can_cast(torch::kFloat, torch::kLong));
  EXPECT_TRUE(torch::can_cast(torch::kLong, torch::kHalf));
  EXPECT_THROW(torch::zeros({2}, torch::kShort), c10::Error);
}

TEST(Dispatch, GivesTheElementType) {
  const auto size = [](const Tensor& x) {
    return AT_DISPATCH_ALL_TYPES(x.scalar_type(), "size", [&] { return sizeof(scalar_t); });
  };
  EXPECT_EQ(size(torch::ones({1}, torch::kDouble)), 8u);
  EXPECT_EQ(size(torch::ones({1}, torch::kByte)), 1u);
  try {
    size(torch::ones({1}, torch::kBool));
    FAIL();
  } catch (const c10::Error& error) {
    EXPECT_STREQ(error.what(), "\"size\" not implemented for 'Bool'");
  }
}

TEST(Checks, SayWhatFailed) {
  try {
    const int count = 3;
    TORCH_CHECK(count == 4, "count is ", count);
    FAIL();
  } catch (const c10::Error& error) {
    EXPECT_STREQ(error.what_without_backtrace(), "count is 3");
    EXPECT_EQ(error.msg(), "count is 3");
  }
  EXPECT_THROW(torch::mm(torch::ones({2, 3}), torch::ones({2, 3})), c10::Error);  // what minima throws
}

}  // namespace minima::core_test
