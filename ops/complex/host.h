#pragma once

#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/transfer.h>

// How operators on complex CUDA tensors run on the CPU. Internal.

namespace minima::detail {

/// Runs op.cpu on copies of the inputs and copies the result into y.
template <class Op, class... In>
void run_on_host(const Op& op, Tensor& y, const In&... inputs) {
  refuse_captured(y.device(), Op::traits.name);
  Tensor result = empty(y.shape(), {.dtype = y.dtype()});
  op.cpu(contiguous(on_host(inputs))..., result);
  copy_values(on_device(result, y.device()), y);
}

template <class Self, class F>
struct ComplexUnary : Unary<Self, F, complex_types> {
  void cuda(const Tensor& x, Tensor& y) const { run_on_host(*static_cast<const Self*>(this), y, x); }
};

/// Both inputs have one complex dtype.
template <class Self, class F, ResultType rule = ResultType::same>
struct ComplexBinary : Binary<Self, F, complex_types, rule> {
  void cuda(const Tensor& a, const Tensor& b, Tensor& y) const {
    run_on_host(*static_cast<const Self*>(this), y, a, b);
  }
};

}  // namespace minima::detail
