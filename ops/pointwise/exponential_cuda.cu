#include <minima/ops/pointwise/functors/exponential.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Exp, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Exp2, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Expm1, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Log, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Log2, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Log10, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Log1p, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Sqrt, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::RootOfSquare, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Rsqrt, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Pow, 2, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::PowScalar, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Erf, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Erfc, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::LogAddExp, 2, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Xlogy, 2, FullFloatingTypes, ResultType::floating>;

}  // namespace minima::pointwise
