#include <minima/ops/pointwise/functors/comparison.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Equal, 2, AllTypes, ResultType::boolean>;
template struct CudaLoop<functor::NotEqual, 2, AllTypes, ResultType::boolean>;
template struct CudaLoop<functor::Less, 2, AllTypes, ResultType::boolean>;
template struct CudaLoop<functor::LessEqual, 2, AllTypes, ResultType::boolean>;
template struct CudaLoop<functor::Greater, 2, AllTypes, ResultType::boolean>;
template struct CudaLoop<functor::GreaterEqual, 2, AllTypes, ResultType::boolean>;

}  // namespace minima::pointwise
