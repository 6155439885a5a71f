#include <minima/ops/pointwise/exponential_functors.h>
#include <minima/ops/pointwise/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Abs, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Sign, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Square, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Pow, 2, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::PowScalar, 1, FullFloatingTypes, ResultType::floating>;

}  // namespace minima::pointwise
