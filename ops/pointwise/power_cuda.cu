#include <minima/ops/pointwise/functors/exponential.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Abs, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Sign, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Square, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Pow, 2, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::PowScalar, 1, FullFloatingTypes, ResultType::floating>;

}  // namespace minima::pointwise
