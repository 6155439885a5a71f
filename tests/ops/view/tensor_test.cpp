#include <minima/tensor/tensor.h>

#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/device/capture.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

// Tensor as a C++ value: in conditions, on the left of assignments, in range-based for loops, and undefined.

namespace minima::tensor_test {
namespace {

using Floats = std::vector<float>;
using Longs = std::vector<std::int64_t>;

template <class E, class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(TensorInACondition, IsTrueByItsValue) {
  const Tensor one = tensor(3.0);
  bool above = false, below = false;
  if (one > 2) above = true;
  if (one > 4) below = true;
  EXPECT_TRUE(above);
  EXPECT_FALSE(below);
  EXPECT_TRUE((one > 2) && (one < 4));
  EXPECT_FALSE((one > 2) && (one < 3));
  EXPECT_TRUE((one < 2) || (one > 2));
  EXPECT_FALSE(static_cast<bool>(!(one > 2)));
  EXPECT_FALSE(one == tensor(4.0) ? true : false);
}

TEST(TensorInACondition, EveryDTypeIsTrueUnlessZero) {
  for (const DType dtype : {boolean, uint8, int8, int32, int64, float16, bfloat16, float32, float64}) {
    EXPECT_FALSE(static_cast<bool>(zeros({1, 1}, {.dtype = dtype}))) << name(dtype);
    EXPECT_TRUE(static_cast<bool>(ones({1, 1}, {.dtype = dtype}))) << name(dtype);
  }
  EXPECT_TRUE(static_cast<bool>(tensor(0.25)));
  EXPECT_TRUE(static_cast<bool>(tensor(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_FALSE(static_cast<bool>(tensor(-0.0)));
}

TEST(TensorInACondition, EndsALoop) {
  Tensor y = tensor({1.0, 1.0});
  int rounds = 0;
  while (norm(y) < 100 && rounds < 50) {
    y = y * 2;
    ++rounds;
  }
  EXPECT_EQ(rounds, 7);
}

TEST(TensorInACondition, ThrowsUnlessItHasOneElement) {
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(
      message<ShapeError>([&] { return x > 0 ? 1 : 0; }),
      "bool: bool [2, 3] has 6 elements, so it is neither true nor false; reduce it with all() or any(), combine masks "
      "with & | ! instead of && and ||, or use defined() to test for a tensor");
  EXPECT_THROW(static_cast<bool>(zeros({0})), ShapeError);
  EXPECT_THROW((void)((x > 0) && (x < 1)), ShapeError);
  EXPECT_EQ(message<ValueError>([] { return Tensor() ? 1 : 0; }),
            "bool: the tensor is undefined; use defined() to test for that");
  EXPECT_TRUE(static_cast<bool>(all(x == 0)));
}

TEST(TensorInACondition, IsRefusedWhileItsDeviceIsCaptured) {
  const Tensor one = tensor(1);
  const detail::CaptureScope scope(one.device());
  EXPECT_EQ(message<CaptureError>([&] { return one ? 1 : 0; }).substr(0, 46),
            "a tensor in a condition inside a captured step");
}

TEST(AssignmentToAView, WritesTensorsAndNumbers) {
  Tensor x = zeros({3, 2});
  x[0] = tensor({1.0, 2.0});
  x[1] = 5;
  x[2][1] = 7;
  select(x, 1, 0) = tensor({9, 8, 7});  // converted
  EXPECT_EQ(x.to_vector<float>(), (Floats{9, 2, 8, 5, 7, 7}));
  x[0] = x[1];
  x[2] = tensor(1.0);  // broadcast
  EXPECT_EQ(x.to_vector<float>(), (Floats{8, 5, 8, 5, 1, 1}));
  x[0] = x[1] = zeros(2);
  EXPECT_EQ(x.to_vector<float>(), (Floats{0, 0, 0, 0, 1, 1}));
  x[2] += 2;
  x[2][0] *= tensor(2.0);
  EXPECT_EQ(x.to_vector<float>(), (Floats{0, 0, 0, 0, 6, 3}));
  index(x, {0, Range{0, 1}}) = 4;
  EXPECT_EQ(x.to_vector<float>(), (Floats{4, 0, 0, 0, 6, 3}));
}

TEST(AssignmentToAView, OfAVariableMakesItAnotherHandle) {
  const Tensor x = zeros({2, 2});
  Tensor row = x[0];
  row = ones(2);
  EXPECT_EQ(x.to_vector<float>(), (Floats{0, 0, 0, 0}));
  EXPECT_EQ(row.to_vector<float>(), (Floats{1, 1}));
  row = Tensor();
  EXPECT_FALSE(row.defined());
}

TEST(AssignmentToAView, IsRecorded) {
  const Tensor w = tensor({1.0, 2.0, 3.0, 4.0}).requires_grad(true), v = tensor({5.0, 6.0}).requires_grad(true);
  Tensor x = reshape(w * 1, {2, 2});
  x[0] = v * v;
  sum(x * x).backward();
  EXPECT_EQ(w.grad().to_vector<float>(), (Floats{0, 0, 6, 8}));
  EXPECT_EQ(v.grad().to_vector<float>(), (Floats{4 * 125, 4 * 216}));

  Tensor y = w * 1;
  y[1] = 0;
  EXPECT_EQ(grad({sum(y * y)}, {w})[0].to_vector<float>(), (Floats{2, 0, 6, 8}));
  EXPECT_THROW(w[0] = 1, AutogradError);
}

TEST(AssignmentToAView, ThrowsWhereTheValuesDoNotFit) {
  Tensor x = zeros({2, 2});
  EXPECT_THROW(x[0] = zeros(3), ShapeError);
  EXPECT_THROW(x[0] = zeros({2, 2}), ShapeError);
  EXPECT_THROW(x[0] = Tensor(), ValueError);
  EXPECT_THROW(x[2] = 0, IndexError);
  EXPECT_THROW(Tensor() = x, ValueError);
}

TEST(AssignmentToAView, ThrowsWhereTheValuesWouldBeLost) {
  const Tensor x = tensor({1.0, -1.0});
  EXPECT_EQ(message<ValueError>([&] { index(x, {x < 0}) = 0; }),
            "operator=: float32 [1] is a temporary that shares memory with no other tensor, so the values would be "
            "lost; write with index_put_ or copy_");
  EXPECT_THROW(relu(x) = x, ValueError);
}

TEST(FirstDimension, IsWalkedOverAsViews) {
  Tensor x = tensor({{1, 2}, {3, 4}, {5, 6}});
  Longs sums;
  for (const Tensor row : x) sums.push_back(sum(row).item<std::int64_t>());
  EXPECT_EQ(sums, (Longs{3, 7, 11}));
  for (Tensor row : x) row *= 2;
  EXPECT_EQ(x.to_vector<std::int64_t>(), (Longs{2, 4, 6, 8, 10, 12}));
  int rows = 0;
  for (const Tensor row : x + 1) rows += row.rank();
  EXPECT_EQ(rows, 3);
  for (const Tensor row : zeros({0, 3})) ADD_FAILURE() << row.rank();
  EXPECT_THROW(for (const Tensor row : tensor(1)) row.rank(), IndexError);
  EXPECT_THROW(for (const Tensor row : Tensor()) row.rank(), ValueError);
}

TEST(UndefinedTensor, EveryMemberThrows) {
  const Tensor none;
  Tensor target;
  const Tensor one = ones(1);
  const std::pair<const char*, std::function<void()>> members[] = {
      {"bool", [&] { (void)static_cast<bool>(none); }},
      {"shape", [&] { none.shape(); }},
      {"strides", [&] { none.strides(); }},
      {"layout", [&] { none.layout(); }},
      {"rank", [&] { none.rank(); }},
      {"size", [&] { none.size(0); }},
      {"numel", [&] { none.numel(); }},
      {"dtype", [&] { none.dtype(); }},
      {"device", [&] { none.device(); }},
      {"itemsize", [&] { none.itemsize(); }},
      {"is_contiguous", [&] { none.is_contiguous(); }},
      {"version", [&] { none.version(); }},
      {"data", [&] { none.data<float>(); }},
      {"raw_data", [&] { none.raw_data(); }},
      {"item", [&] { none.item<float>(); }},
      {"to_vector", [&] { none.to_vector<float>(); }},
      {"to_vector", [&] { none.to_vector<bool>(); }},
      {"cast", [&] { none.to(float64); }},
      {"to", [&] { none.to(Device::cpu()); }},
      {"to", [&] { none.to(Device::cpu(), float64); }},
      {"requires_grad", [&] { none.requires_grad(); }},
      {"requires_grad", [&] { target.requires_grad(true); }},
      {"is_leaf", [&] { none.is_leaf(); }},
      {"grad", [&] { none.grad(); }},
      {"set_grad", [&] { none.set_grad(one); }},
      {"zero_grad", [&] { none.zero_grad(); }},
      {"retain_grad", [&] { none.retain_grad(); }},
      {"backward", [&] { none.backward(); }},
      {"detach", [&] { none.detach(); }},
      {"set_data", [&] { none.set_data(one); }},
      {"set_data", [&] { one.set_data(none); }},
      {"select", [&] { none[0]; }},
      {"add", [&] { target += one; }},
      {"sub", [&] { target -= one; }},
      {"mul", [&] { target *= one; }},
      {"div", [&] { target /= one; }},
      {"add", [&] { target += 1; }},
      {"add", [&] { target -= 1; }},
      {"mul", [&] { target *= 1; }},
      {"div", [&] { target /= 1; }},
      {"copy_", [&] { Tensor() = one; }},
      {"fill_", [&] { Tensor() = 1; }},
  };
  for (const auto& [name, call] : members) {
    const std::string text = message<ValueError>(call);
    EXPECT_EQ(text.substr(0, text.find(':')), name) << text;
    EXPECT_NE(text.find("undefined"), std::string::npos) << text;
  }
  EXPECT_FALSE(none.defined());
  EXPECT_TRUE(none.is_same(target));
  EXPECT_EQ(one.item<float>(), 1);
}

}  // namespace
}  // namespace minima::tensor_test
