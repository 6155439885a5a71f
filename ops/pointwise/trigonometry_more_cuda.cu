// The rest of the family: a file for each core of a machine with two.

#include <minima/ops/pointwise/functors/trigonometry.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Atanh, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Exp2, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Log2, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Log10, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Reciprocal, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::Erfc, 1, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::LogAddExp, 2, FullFloatingTypes, ResultType::floating>;

}  // namespace minima::pointwise
