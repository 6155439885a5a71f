#pragma once

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>

// Arguments and results of functions made of other operators.

namespace minima::detail {

template <class... In>
void check_all_defined(const char* op, const In&... x) {
  int argument = 0;
  (check_defined(op, x, argument++), ...);
}

template <class... In>
void check_all_floating(const char* op, const In&... in) {
  for (const Tensor* x : {&in...})
    if (!is_floating(x->dtype()))
      throw DTypeError(str(op, ": needs floating tensors, got ", *x, "; convert it with to()"));
}

/// Both have one dtype, and their shapes broadcast.
inline void check_one_dtype(const char* op, const Tensor& a, const Tensor& b) {
  check_all_defined(op, a, b);
  if (a.dtype() != b.dtype())
    throw DTypeError(str(op, ": needs two tensors of one dtype, got ", a, " and ", b, "; convert them with to()"));
  broadcast(a.shape(), b.shape(), op);
}

/// x, or float32 for integers.
inline Tensor real_of(const char* op, const Tensor& x) {
  check_defined(op, x);
  return is_floating(x.dtype()) ? x : cast(x, DType::float32);
}

/// Assigns y to x, after checking that x can hold it.
inline void assign(const char* op, const Tensor& x, const Tensor& y) {
  check_in_place(op, x, describe(y));
  copy_(x, y);
}

/// x = f(x), with a snapshot of x if formulas read it again after the change.
template <class F>
void change(const char* op, const Tensor& x, const F& f) {
  check_defined(op, x);
  assign(op, x, f(is_grad_enabled() && x.requires_grad() ? clone(x) : x));
}

}  // namespace minima::detail
