#include <minima/ops/pointwise/functors/exponential.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::FrexpMantissa, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::FrexpExponent, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Entr, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Xlog1py, 2, FullFloatingTypes, ResultType::floating>;

}  // namespace minima::pointwise
