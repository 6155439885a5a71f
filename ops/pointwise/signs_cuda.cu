#include <minima/ops/pointwise/functors/signs.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Hypot, 2, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::CopySign, 2, FullFloatingTypes, ResultType::floating>;
template struct CudaLoop<functor::SignBit, 1, AllTypes, ResultType::boolean>;
template struct CudaLoop<functor::NextAfter, 2, FullFloatingTypes, ResultType::same>;

}  // namespace minima::pointwise
