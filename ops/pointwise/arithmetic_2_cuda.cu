#include <minima/ops/pointwise/functors/arithmetic.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Maximum, 2, AllTypes, ResultType::same>;
template struct CudaLoop<functor::Minimum, 2, AllTypes, ResultType::same>;
template struct CudaLoop<functor::Where, 3, AllTypes, ResultType::same>;
template struct CudaLoop<functor::NanToNum, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Addcmul, 3, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Addcdiv, 3, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Clamp, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Fill, 1, AllTypes, ResultType::same>;

template struct CudaLoop<functor::AddScalar, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::MulScalar, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::DivScalar, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::ScalarSub, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::ScalarDiv, 1, FullFloatingTypes, ResultType::floating>;

}  // namespace minima::pointwise
