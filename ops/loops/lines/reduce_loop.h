#pragma once

#include <minima/ops/loops/lines/reduce_kernels.h>

// The engine of reductions on the CPU, for operator sources only. A functor defines the reduction:
//
//   struct Mean {
//     using State = float;                                       // carried from element to element
//     float count;
//     State identity() const { return 0; }
//     State element(float x) const { return x; }                 // or element(float x, std::int64_t index)
//     State combine(State a, State b) const { return a + b; }    // associative and commutative but for rounding
//     float finish(State s) const { return s / count; }
//   };
//   reduction::reduce<float>(Mean{n}, {y, y_layout, float32}, {x, x_layout, bfloat16});
//
// Elements are combined in a fixed tree: first 64 rows of neighbours, then pairs of such leaves, pairs of pairs and so
// on. The tree depends on shape and strides alone, so a result is bitwise the same for any number of threads, and the
// rounding error of a sum grows with the logarithm of its length. ops/loops/lines/reducers.h has common functors.

namespace minima::reduction {

/// Combines the elements of `in` over every dimension in which the output has size 1. Both layouts have the same rank.
/// `T` is the type that the functor takes; operands of other dtypes are converted as in pointwise loops. Over an empty
/// dimension the result is finish(identity()). `index` counts an output's elements in row-major order.
template <class T, class F>
void reduce(const F& f, const Operand& out, const Operand& in) {
  using Kernels = detail::ReductionKernels<F, T>;
  detail::Reduction reduction = Kernels::reduction(f);
  reduction.outputs = 1;
  reduction.out_types[0] = dtype_of<decltype(f.finish(f.identity()))>;
  reduction.finish = &Kernels::finish_one;
  detail::reduce(reduction, &out, in);
}

/// The same with two results of one shape; finish returns them as a std::pair.
template <class T, class F>
void reduce(const F& f, const Operand& first, const Operand& second, const Operand& in) {
  using Kernels = detail::ReductionKernels<F, T>;
  using Pair = decltype(f.finish(f.identity()));
  detail::Reduction reduction = Kernels::reduction(f);
  reduction.outputs = 2;
  reduction.out_types[0] = dtype_of<typename Pair::first_type>;
  reduction.out_types[1] = dtype_of<typename Pair::second_type>;
  reduction.finish = &Kernels::finish_two;
  const Operand outs[] = {first, second};
  detail::reduce(reduction, outs, in);
}

}  // namespace minima::reduction
