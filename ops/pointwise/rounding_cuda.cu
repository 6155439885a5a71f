#include <minima/ops/pointwise/functors/rounding.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Floor, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Ceil, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Round, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Trunc, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Frac, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Fmod, 2, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Remainder, 2, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::FloorDivide, 2, NumericTypes, ResultType::same>;

}  // namespace minima::pointwise
