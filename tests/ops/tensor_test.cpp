#include <minima/tensor/tensor.h>

#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/ops/ops.h>
#include <minima/tensor/capture.h>
#include <minima/tensor/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

// What a tensor is in C++: in a condition, on the left of an assignment, in a for loop, and undefined.

namespace minima {
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

TEST(UndefinedTensor, EveryMemberThrows) {
  const Tensor none;
  Tensor target;
  const Tensor one = ones(1);
  const std::pair<const char*, std::function<void()>> members[] = {
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
}  // namespace minima
