#include "tests/nn/toy_modules.h"

#include <gtest/gtest.h>

namespace convert_test {
namespace {

using namespace minima;
using namespace toy;

TEST(ModuleTo, ConvertsFloatingTensorsAndKeepsTheirIdentity) {
  struct M : Net {
    nn::Buffer steps = buffer("steps", tensor<std::int64_t>({5}));
  };
  M net;
  const M alias = net;
  const Tensor bias = net.a.bias;  // as an optimizer holds it
  net.to(float64);
  EXPECT_TRUE(net.a.bias.is_same(bias));
  EXPECT_EQ(bias.dtype(), float64);
  EXPECT_EQ(bias.item<double>(), 1);
  EXPECT_EQ(alias.a.bias.dtype(), float64);
  EXPECT_EQ(net.a.calls.dtype(), float64);
  EXPECT_EQ(net.steps.dtype(), int64);
  EXPECT_TRUE(bias.requires_grad() && bias.is_leaf());
}

TEST(ModuleTo, ConvertsGradientsToo) {
  Net net;
  net.a.bias.set_grad(values({3}));
  net.to(float64);
  ASSERT_TRUE(net.a.bias.grad().defined());
  EXPECT_EQ(net.a.bias.grad().dtype(), float64);
  EXPECT_EQ(net.a.bias.grad().item<double>(), 3);
  EXPECT_FALSE(net.b.bias.grad().defined());
}

TEST(ModuleTo, KeepsTies) {
  Net net;
  net.b.bias = net.a.bias;
  net.to(bfloat16);
  EXPECT_TRUE(net.b.bias.is_same(net.a.bias));
  EXPECT_EQ(net.b.bias.dtype(), bfloat16);
}

TEST(ModuleTo, RefusesIntegerDtypes) {
  Net net;
  EXPECT_THROW(net.to(int64), DTypeError);
  EXPECT_EQ(net.a.bias.dtype(), float32);
}

TEST(ModuleTo, TheDeviceItIsOnChangesNothing) {
  Net net;
  const void* data = net.a.bias.raw_data();
  net.to(Device::cpu());
  EXPECT_EQ(net.a.bias.raw_data(), data);
}

}  // namespace
}  // namespace convert_test
