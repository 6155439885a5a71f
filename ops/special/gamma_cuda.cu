#include <minima/ops/special/gamma_functors.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Lgamma, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Digamma, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Polygamma, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Zeta, 2, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::GammaDensity, 2, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::IncompleteGamma, 2, FullFloatingTypes, ResultType::floating>;

}  // namespace minima::pointwise
