#pragma once

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/words.h>
#include <minima/tensor/tensor.h>

// Kernels that move elements in one pass over the result. Only the size of an element matters, not its type; all
// tensors are dense, and x has the same order of dimensions as y.

namespace minima::detail {

/// One dimension in memory order: element i of the result is element i - left of x, where that exists.
struct PadDim {
  std::int64_t size, left, result;
};
/// What pad adds to dense memory, outermost dimension first. Dimensions that do not change are merged into the one
/// before, so there is at most one more than those that grow or shrink.
struct PadPlan {
  static constexpr int max_rank = 6;
  int rank = 0;
  PadDim dims[max_rank];

  void add(const PadDim& dim);
};

/// Fills the padding with `value`, the bits of an element in the lowest bytes.
void pad_kernel_cpu(const Tensor& x, const PadPlan& plan, std::uint64_t value, Tensor& y);
/// Rotates every line by 0 <= `by` < length positions.
void roll_kernel_cpu(const Tensor& x, const Lines& lines, std::int64_t by, Tensor& y);
/// Row-major matrices: 0 where column - row > diagonal (`lower`), or < diagonal.
void triangle_kernel_cpu(const Tensor& x, std::int64_t diagonal, bool lower, Tensor& y);
/// The same on CUDA.
void pad_kernel_cuda(const Tensor& x, const PadPlan& plan, std::uint64_t value, Tensor& y);
void roll_kernel_cuda(const Tensor& x, const Lines& lines, std::int64_t by, Tensor& y);
void triangle_kernel_cuda(const Tensor& x, std::int64_t diagonal, bool lower, Tensor& y);

}  // namespace minima::detail
