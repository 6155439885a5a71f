#include <minima/ops/special/bessel_functors.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Bessel, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Airy, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::BesselI, 1, FullFloatingTypes, ResultType::floating>;

}  // namespace minima::pointwise
