#include <minima/ops/pointwise/functors/error_functions.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Erfinv, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Erfcx, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::LogNdtr, 1, FullFloatingTypes, ResultType::floating>;

}  // namespace minima::pointwise
