#include <minima/ops/pointwise/functors/comparison.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::And, 2, AllTypes, ResultType::boolean>;
template struct CudaLoop<functor::Or, 2, AllTypes, ResultType::boolean>;
template struct CudaLoop<functor::Not, 1, AllTypes, ResultType::boolean>;
template struct CudaLoop<functor::IsNan, 1, AllTypes, ResultType::boolean>;
template struct CudaLoop<functor::IsFinite, 1, AllTypes, ResultType::boolean>;

}  // namespace minima::pointwise
