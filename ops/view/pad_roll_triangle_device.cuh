#pragma once

#include <minima/ops/view/kernels.h>
#include <minima/ops/loops/kernel.cuh>

// One thread per element of the result. `Index` is 32 bits wide where that is enough: 64-bit division is slow.

namespace minima::detail {

template <class Index>
__device__ Index element_of_thread() {
  return static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
}

template <class Word, class Index>
__global__ void __launch_bounds__(256) pad_kernel(const Word* x, const PadPlan plan, Index count, Word value, Word* y) {
  const Index i = element_of_thread<Index>();
  if (i >= count) return;
  Index rest = i;
  std::int64_t source = 0, step = 1;
  bool found = true;
  for (int d = plan.rank - 1; d >= 0; --d) {
    const PadDim& dim = plan.dims[d];
    const Index outer = rest / static_cast<Index>(dim.result);
    const std::int64_t at = static_cast<std::int64_t>(rest - outer * static_cast<Index>(dim.result)) - dim.left;
    rest = outer;
    found = found && at >= 0 && at < dim.size;
    source += at * step;
    step *= dim.size;
  }
  y[i] = found ? x[source] : value;
}

/// Lines of `length` elements, shifted by `by` elements.
template <class Word, class Index>
__global__ void __launch_bounds__(256) roll_kernel(const Word* x, Index length, Index by, Index count, Word* y) {
  const Index i = element_of_thread<Index>();
  if (i >= count) return;
  const Index at = i % length;
  y[i] = x[at < by ? i + (length - by) : i - by];
}

template <class Word, class Index>
__global__ void __launch_bounds__(256)
    triangle_kernel(const Word* x, Index rows, Index columns, std::int64_t diagonal, bool lower, Index count, Word* y) {
  const Index i = element_of_thread<Index>();
  if (i >= count) return;
  const Index line = i / columns;
  const std::int64_t column = static_cast<std::int64_t>(i - line * columns),
                     row = static_cast<std::int64_t>(line % rows);
  y[i] = (lower ? column - row <= diagonal : column - row >= diagonal) ? x[i] : Word(0);
}

}  // namespace minima::detail
