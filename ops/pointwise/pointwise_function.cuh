#pragma once

#include <minima/ops/pointwise/pointwise_function_functors.h>
#include <minima/ops/loops/loop.cuh>

#include <tuple>
#include <utility>

namespace minima {

/// The CUDA kernels of Pointwise<F> for `inputs` tensors and of its derivatives. A .cu file instantiates it:
///   template struct minima::PointwiseForCuda<Gauss, 2>;
template <class F, int inputs>
struct PointwiseForCuda {
  /// Names the kernels, so that the compiler makes them.
  static auto kernels() { return kernels(std::make_integer_sequence<int, inputs>()); }

 private:
  template <class Functor, int operands>
  using Loop = pointwise::CudaLoop<Functor, operands, FullFloatingTypes, ResultType::floating>;
  template <int First, int... Second>
  static auto derivatives(std::integer_sequence<int, Second...>) {
    return std::tuple(&Loop<detail::FunctionDerivative<F, First>, inputs + 1>::run,
                      &Loop<detail::FunctionDerivative<F, First, First + Second>, inputs + 1>::run...);
  }
  template <int... I>
  static auto kernels(std::integer_sequence<int, I...>) {
    return std::tuple(&Loop<detail::FunctionValue<F>, inputs>::run,
                      derivatives<I>(std::make_integer_sequence<int, inputs - I>())...);
  }
};

}  // namespace minima
