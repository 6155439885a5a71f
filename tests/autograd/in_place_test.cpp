#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::in_place_test {
namespace {

using Values = std::vector<double>;

Tensor leaf(std::initializer_list<double> values) { return tensor<double>(values).requires_grad(true); }

TEST(InPlace, RebasesANonLeaf) {
  Tensor x = leaf({1, 2});
  Tensor y = x * 2.0;
  y *= y;
  sum(y).backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Values{8, 16}));
}

TEST(InPlace, IsAnErrorOnALeafThatRequiresGrad) {
  Tensor x = leaf({1, 2});
  EXPECT_THROW(x += 1.0, AutogradError);
  EXPECT_THROW(x[0] += 1.0, AutogradError);
  NoGrad guard;
  x += 1.0;
  EXPECT_EQ(x.to_vector<double>(), (Values{2, 3}));
}

TEST(InPlace, OnASavedTensorIsNoticed) {
  Tensor x = leaf({1, 2});
  Tensor y = x * 2.0;
  const Tensor z = sum(y * y);
  y += 1.0;
  try {
    z.backward();
    FAIL() << "a changed saved tensor went unnoticed";
  } catch (const AutogradError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("(float64 [2]) was saved for the gradient and then changed in place: it is at version 1"),
              std::string::npos)
        << error.what();
  }
}

TEST(InPlace, OnAViewReachesTheBaseAndItsOtherViews) {
  Tensor x = leaf({1, 2, 3, 4});
  Tensor y = x * 1.0;
  Tensor head = slice(y, 0, 0, 2);
  const Tensor other = slice(y, 0, 1, 3);
  head *= 10.0;
  EXPECT_EQ(y.to_vector<double>(), (Values{10, 20, 3, 4}));
  EXPECT_EQ(grad({sum(y)}, {x}, {}, {.retain_graph = true})[0].to_vector<double>(), (Values{10, 10, 1, 1}));
  EXPECT_EQ(grad({sum(other)}, {x}, {}, {.retain_graph = true})[0].to_vector<double>(), (Values{0, 10, 1, 0}));
  EXPECT_EQ(grad({sum(head)}, {x})[0].to_vector<double>(), (Values{10, 10, 0, 0}));
}

TEST(InPlace, WritesARecordedValueIntoAPlainTensor) {
  Tensor w = leaf({5});
  Tensor x = tensor<double>({1, 2, 3});
  Tensor middle = slice(x, 0, 1, 2);
  copy_(middle, w * w);
  EXPECT_TRUE(x.requires_grad());
  sum(x * x).backward();
  EXPECT_EQ(w.grad().item<double>(), 2 * 25.0 * 10);
}

TEST(InPlace, OnViewsPassesGradcheckToSecondOrder) {
  Tensor x = from_vector<double>({0.5, -1, 2, 3, 0.25, -2}, {2, 3}).requires_grad(true);
  Tensor w = leaf({0.7, -0.3});
  const TensorFunction f = [](const std::vector<Tensor>& in) {
    Tensor y = in[0] * in[0];
    Tensor column = select(y, 1, 1);
    column *= in[1];
    Tensor row = select(y, 0, 0);
    row += in[0][1] * in[0][0];
    return std::vector{y * y};
  };
  const auto first = gradcheck(f, {x, w});
  EXPECT_TRUE(first) << first.message;
  const auto second = gradgradcheck(f, {x, w});
  EXPECT_TRUE(second) << second.message;
}

}  // namespace
}  // namespace minima::in_place_test
