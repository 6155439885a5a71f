#include <minima/autograd/mode.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::mode_test {
namespace {

Tensor leaf(std::initializer_list<double> values) { return tensor<double>(values).requires_grad(true); }

TEST(NoGrad, RecordsNothing) {
  Tensor x = leaf({1});
  NoGrad guard;
  EXPECT_FALSE((x * 2.0).requires_grad());
}

TEST(Inference, KeepsItsTensorsOutOfGraphs) {
  Tensor w = leaf({2});
  Tensor x;
  {
    Inference guard;
    x = tensor<double>({1}) * 3.0;
  }
  EXPECT_THROW(w * x, AutogradError);
}

TEST(Mode, GuardsNestAndRestore) {
  EXPECT_TRUE(is_grad_enabled());
  {
    NoGrad off;
    EXPECT_FALSE(is_grad_enabled());
    {
      EnableGrad on;
      EXPECT_TRUE((leaf({1}) * 2.0).requires_grad());
    }
    EXPECT_FALSE(is_grad_enabled());
  }
  EXPECT_TRUE(is_grad_enabled());
}

TEST(NoGrad, CallsAFunctionAndReturnsItsResult) {
  Tensor x = leaf({1});
  const Tensor y = no_grad([&] { return x * 2.0; });
  EXPECT_FALSE(y.requires_grad());
  EXPECT_EQ(y.item<double>(), 2);
}

TEST(NoGrad, AllowsInPlaceChangesOfALeaf) {
  Tensor x = leaf({1});
  NoGrad guard;
  x += 1.0;
  EXPECT_EQ(x.item<double>(), 2);
}

TEST(Inference, RefusesToMarkItsTensors) {
  Inference guard;
  Tensor x = ones({2}) * 2.0;
  EXPECT_THROW(x.requires_grad(true), AutogradError);
}

}  // namespace
}  // namespace minima::mode_test
