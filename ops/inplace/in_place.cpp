#include <minima/ops/inplace/in_place.h>

#include <minima/autograd/mode.h>
#include <minima/ops/arrange/arrange.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/elementwise/elementwise.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/trigonometry.h>

namespace minima {

namespace {

/// A snapshot of x, for formulas that read their input again after x has changed.
Tensor before(const Tensor& x) { return is_grad_enabled() && x.requires_grad() ? clone(x) : x; }

/// Assigns y to x, after checking that x can hold it.
void store(const char* op, const Tensor& x, const Tensor& y) {
  detail::check_in_place(op, x, describe(y));
  copy_(x, y);
}

template <class F>
void change(const char* op, const Tensor& x, const F& f) {
  detail::check_defined(op, x);
  store(op, x, f(before(x)));
}

/// Throws unless a and b broadcast to x's shape.
void check_three(const char* op, const Tensor& x, const Tensor& a, const Tensor& b) {
  detail::check_defined(op, x);
  detail::check_defined(op, a, 1);
  detail::check_defined(op, b, 2);
  const Shape shape = broadcast(x.shape(), broadcast(a.shape(), b.shape(), op), op);
  detail::check_in_place(op, x, spec_of(shape, x.dtype(), x.device()));
}

}  // namespace

void clamp_(const Tensor& x, Scalar low, Scalar high) {
  change("clamp_", x, [&](const Tensor& old) { return clamp(old, low, high); });
}

void masked_fill_(const Tensor& x, const Tensor& mask, Scalar value) {
  detail::check_defined("masked_fill_", x);
  store("masked_fill_", x, masked_fill(x, mask, value));
}

void exp_(const Tensor& x) { change("exp_", x, exp); }
void sqrt_(const Tensor& x) { change("sqrt_", x, sqrt); }
void neg_(const Tensor& x) { change("neg_", x, neg); }
void sigmoid_(const Tensor& x) { change("sigmoid_", x, sigmoid); }
void tanh_(const Tensor& x) { change("tanh_", x, tanh); }

void addcmul_(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value) {
  check_three("addcmul_", x, a, b);
  store("addcmul_", x, addcmul(x, a, b, value));
}

void lerp_(const Tensor& x, const Tensor& end, double weight) {
  check_three("lerp_", x, end, end);
  store("lerp_", x, lerp(x, end, weight));
}

}  // namespace minima
