#include <minima/ops/special/special_functors.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Hypot, 2, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::CopySign, 2, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::SignBit, 1, AllTypes, ResultType::boolean>;
template struct CudaLoop<functor::NextAfter, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Erfinv, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Lgamma, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Digamma, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Polygamma, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::BesselI, 1, FullFloatingTypes, ResultType::floating>;

}  // namespace minima::pointwise
