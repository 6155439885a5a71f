#include <minima/ops/pointwise/functors/trigonometry.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Sin, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Cos, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Tan, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Asin, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Acos, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Atan, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Atan2, 2, FullFloatingTypes, ResultType::floating>;

template struct CudaLoop<functor::Sinh, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Cosh, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Tanh, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Asinh, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Acosh, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Atanh, 1, FullFloatingTypes, ResultType::floating>;

template struct CudaLoop<functor::TanhGradient, 2, FullFloatingTypes, ResultType::same>;

}  // namespace minima::pointwise
