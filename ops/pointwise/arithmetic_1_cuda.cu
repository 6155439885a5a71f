#include <minima/ops/pointwise/functors/arithmetic.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Add, 2, AllTypes, ResultType::same>;
template struct CudaLoop<functor::Sub, 2, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Mul, 2, AllTypes, ResultType::same>;
template struct CudaLoop<functor::Div, 2, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Neg, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Abs, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Sign, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Square, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Reciprocal, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Lerp, 2, FullFloatingTypes, ResultType::same>;

}  // namespace minima::pointwise
