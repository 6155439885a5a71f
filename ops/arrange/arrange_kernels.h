#pragma once

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/words.h>
#include <minima/tensor/tensor.h>

// Elements that move in one pass over the result. What they are does not matter, only how many bytes they have; all
// tensors are dense, and x lies in the same order of dimensions as y.

namespace minima::detail {

/// A dimension in the order of memory: element i of the result is element i - left of x, where there is one.
struct PadDim {
  std::int64_t size, left, result;
};
/// What pad adds to dense memory, outermost dimension first. Dimensions to which nothing is added are part of the one
/// before, so there is at most one more than those that grow or shrink.
struct PadPlan {
  static constexpr int max_rank = 6;
  int rank = 0;
  PadDim dims[max_rank];

  void add(const PadDim& dim);
};

/// Everything that is not x's becomes `value`, the bits of an element in the lowest bytes.
void pad_kernel_cpu(const Tensor& x, const PadPlan& plan, std::uint64_t value, Tensor& y);
/// Every line moves by 0 <= `by` < length places, around its end.
void roll_kernel_cpu(const Tensor& x, const Lines& lines, std::int64_t by, Tensor& y);
/// Row-major matrices: 0 where column - row > diagonal (`lower`), or < diagonal.
void triangle_kernel_cpu(const Tensor& x, std::int64_t diagonal, bool lower, Tensor& y);
/// The same on CUDA.
void pad_kernel_cuda(const Tensor& x, const PadPlan& plan, std::uint64_t value, Tensor& y);
void roll_kernel_cuda(const Tensor& x, const Lines& lines, std::int64_t by, Tensor& y);
void triangle_kernel_cuda(const Tensor& x, std::int64_t diagonal, bool lower, Tensor& y);

}  // namespace minima::detail
