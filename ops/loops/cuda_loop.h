#pragma once

#include <minima/ops/loops/plan.h>

// Connects the sources of pointwise operators, built by the C++ compiler, to the loops over their functors, built by
// nvcc. A functor in namespace minima::pointwise::functor has a CUDA loop; its .cu file instantiates it:
//
//   template struct pointwise::CudaLoop<functor::Relu, 1, NumericTypes, ResultType::same>;
//
// A functor of another namespace opts in with a declaration `void built_for_cuda(const MyFunctor&);` next to it.

namespace minima {

/// How the dtype of the result follows from the inputs' promoted dtype.
enum class ResultType : std::uint8_t { same, floating, boolean };

}  // namespace minima

namespace minima::pointwise::functor {

template <class F> void built_for_cuda(const F&);

}  // namespace minima::pointwise::functor

namespace minima::pointwise {

template <class F>
concept BuiltForCuda = requires(const F& f) { built_for_cuda(f); };

/// The loop over a functor of `inputs` arguments, for every compute type of `Set`; defined in loop.cuh.
template <class F, int inputs, class Set, ResultType rule>
struct CudaLoop {
  /// operands[0][i] = f(operands[1…][i]…), computed in `compute`, like loop() in loop.h.
  static void run(const char* op, const F& f, DType compute, const Operand* operands);
};

}  // namespace minima::pointwise
