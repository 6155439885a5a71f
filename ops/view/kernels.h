#pragma once

#include <minima/ops/loops/elements.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/view/pad.h>
#include <minima/tensor/tensor.h>

#include <span>

// Kernels that move elements in one pass over the result. Only the size of an element matters, not its type; all
// tensors are dense, and x has the same order of dimensions as y.

namespace minima::detail {

/// One dimension in memory order: element i of the result is element i - left of x, where that exists.
struct PadDim {
  std::int64_t size, left, result;
};
/// Describes what pad adds to dense memory, outermost dimension first. Dimensions that do not change are merged into
/// the one before, so there is at most one more than those that grow or shrink.
struct PadPlan {
  static constexpr int max_rank = 6;
  int rank = 0;
  PadDim dims[max_rank];

  void add(const PadDim& dim);
};

/// Describes what padding with elements of x adds to dense memory, outermost dimension first. Dimensions that do not
/// change are merged with such neighbours, the innermost into `block`.
struct EdgePlan {
  static constexpr int max_rank = 6;
  PadMode mode;
  int rank = 0;
  PadDim dims[max_rank] = {};
  std::int64_t block = 1;

  explicit EdgePlan(PadMode mode) : mode(mode) {}  ///< not constant
  /// Returns false if there are too many dimensions that grow.
  bool add(const PadDim& dim);
};
/// The element of x, in a dimension of `size`, that padding puts at place i, which may be past the edges.
std::int64_t padding_source(PadMode mode, std::int64_t i, std::int64_t size);

/// Fills the padding with elements of x. On the CPU.
void pad_edges_kernel_cpu(const Tensor& x, const EdgePlan& plan, Tensor& y);
/// Adds each element of g, floating, to that of y which it is a copy of.
void pad_edges_gradient_cpu(const Tensor& g, const EdgePlan& plan, Tensor& y);

/// y = cat(tensors, dim) where y takes single elements from two or four tensors in turn, as stack(…, -1) does; all
/// row-major and of one dtype. Returns false, with nothing done, for any other arguments.
bool interleave_cpu(std::span<const Tensor> tensors, int dim, const Tensor& y);

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
