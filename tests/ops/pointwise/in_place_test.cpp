#include "tests/support/draw.h"

#include <minima/autograd/gradcheck.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

// In-place forms that assign the operator's result; those that are operators of their own are in these operators'
// tables.

namespace minima::in_place_test {
namespace {

using namespace test;
using Tensors = std::vector<Tensor>;

struct Form {
  const char* name;
  std::function<void(const Tensor&, const Tensors&)> change;  // of the first
  std::function<Tensor(const Tensors&)> same;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all{
      {"clamp", [](const Tensor& x, const Tensors&) { clamp_(x, -0.5, 0.7); },
       [](const Tensors& in) { return clamp(in[0], -0.5, 0.7); }},
      {"masked_fill", [](const Tensor& x, const Tensors& in) { masked_fill_(x, in[1].detach() > 0, 2); },
       [](const Tensors& in) { return masked_fill(in[0], in[1].detach() > 0, 2); }},
      {"exp", [](const Tensor& x, const Tensors&) { exp_(x); }, [](const Tensors& in) { return exp(in[0]); }},
      {"sqrt", [](const Tensor& x, const Tensors&) { mul_(x, x), sqrt_(x); },
       [](const Tensors& in) { return sqrt(in[0] * in[0]); }},
      {"neg", [](const Tensor& x, const Tensors&) { neg_(x); }, [](const Tensors& in) { return -in[0]; }},
      {"sigmoid", [](const Tensor& x, const Tensors&) { sigmoid_(x); },
       [](const Tensors& in) { return sigmoid(in[0]); }},
      {"tanh", [](const Tensor& x, const Tensors&) { tanh_(x); }, [](const Tensors& in) { return tanh(in[0]); }},
      {"addcmul", [](const Tensor& x, const Tensors& in) { addcmul_(x, in[1], in[1], 0.5); },
       [](const Tensors& in) { return in[0] + in[1] * in[1] * 0.5; }},
      {"lerp", [](const Tensor& x, const Tensors& in) { lerp_(x, in[1], 0.25); },
       [](const Tensors& in) { return in[0] + (in[1] - in[0]) * 0.25; }}};
  return all;
}

Tensors inputs() {
  return {lay_out(draw(normal({3, 4}), float64, 1), float64, test::Form::gaps).requires_grad(true),
          lay_out(draw(normal({4}), float64, 2), float64, test::Form::row_major).requires_grad(true)};
}

TEST(InPlaceForms, ReturnTheTensorItself) {
  const Tensor x = tensor<float>({0, 4});
  EXPECT_TRUE(add_(x, 1).is_same(x));
  const Tensor y = clamp_(div_(add(x, 1), 2), 0, 2);
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1, 2}));
  const Tensor mask = x > 2, ones = tensor<float>({1, 1});
  for (const Tensor* same : {&add_(x, ones),
                             &sub_(x, ones),
                             &mul_(x, ones),
                             &div_(x, ones),
                             &mul_(x, 1),
                             &div_(x, 1),
                             &neg_(x),
                             &relu_(x),
                             &leaky_relu_(x),
                             &elu_(x),
                             &sigmoid_(x),
                             &tanh_(x),
                             &exp_(x),
                             &sqrt_(x),
                             &clamp_(x, 0, 9),
                             &remainder_(x, 2),
                             &remainder_(x, ones),
                             &addcmul_(x, ones, ones),
                             &lerp_(x, ones, 0.5),
                             &masked_fill_(x, mask, 1),
                             &index_put_(x, {0}, 1),
                             &index_put_(x, {mask}, 1),
                             &index_put_(x, {mask}, ones[0], true),
                             &copy_(x, ones),
                             &fill_(x, 2),
                             &zero_(x),
                             &uniform_(x),
                             &normal_(x),
                             &bernoulli_(x)})
    EXPECT_EQ(same, &x);
  const Tensor bits = tensor({1, 2});
  for (const Tensor* same : {&bitwise_and_(bits, bits), &bitwise_or_(bits, 1), &bitwise_xor_(bits, bits)})
    EXPECT_EQ(same, &bits);
}

TEST(InPlaceForms, ChangeTheTensorAndItsGradientAsTheOperator) {
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name);
    const auto changed = [&](const Tensors& in) {
      const Tensor x = in[0] * 1.0;
      form.change(x[1], in);  // a view: the change is its base's
      form.change(x[2], in);
      return Tensors{x};
    };
    const auto expected = [&](const Tensors& in) {
      return cat({slice(in[0], 0, 0, 1), form.same({slice(in[0], 0, 1, 3), in[1]})}, 0);
    };
    const Tensors in = inputs();
    EXPECT_TRUE(allclose(changed(in)[0], expected(in)));
    EXPECT_TRUE(gradcheck(changed, in));
  }
}

TEST(InPlaceForms, RefuseLeavesThatRequireGrad) {
  const Tensors in = inputs();
  for (const Form& form : forms()) EXPECT_THROW(form.change(in[0], in), AutogradError) << form.name;
}

TEST(InPlaceForms, RoundHalfTypesOnce) {
  const Tensor x = randn({200}).to(bfloat16), a = randn({200}).to(bfloat16), b = randn({200}).to(bfloat16);
  const Tensor sum = clone(x), mean = clone(x);
  addcmul_(sum, a, b, 0.3);
  lerp_(mean, a, 0.3);
  EXPECT_TRUE(identical(sum, (x.to(float32) + a.to(float32) * 0.3 * b.to(float32)).to(bfloat16)));
  EXPECT_TRUE(identical(mean, lerp(x.to(float32), a.to(float32), 0.3).to(bfloat16)));
}

}  // namespace
}  // namespace minima::in_place_test
