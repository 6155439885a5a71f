#pragma once

#include <minima/ops/loops/operand.h>

// How the sources of pointwise operators, which the C++ compiler builds, reach the loops over their functors that nvcc
// builds. A functor in namespace minima::pointwise::functor is one of those; its line stands in the .cu beside it:
//
//   template struct pointwise::CudaLoop<functor::Relu, 1, NumericTypes, ResultType::same>;
//
// A functor of another namespace joins by a declaration `void built_for_cuda(const MyFunctor&);` beside it.

namespace minima {

/// How the dtype of the result follows from the promoted dtype of the inputs.
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
  /// operands[0][i] = f(operands[1…][i]…), computed in `compute`, as loop() in loop.h has it.
  static void run(const char* op, const F& f, DType compute, const Operand* operands);
};

}  // namespace minima::pointwise
