#include <minima/ops/special/statistics_functors.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Entr, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Erfcx, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::LogNdtr, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Xlog1py, 2, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Zeta, 2, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::GammaDensity, 2, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::IncompleteGamma, 2, FullFloatingTypes, ResultType::floating>;

}  // namespace minima::pointwise
