#include <minima/ops/pointwise/functors/divisors.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Gcd, 2, IntegerTypes, ResultType::same>;
template struct CudaLoop<functor::Lcm, 2, IntegerTypes, ResultType::same>;

}  // namespace minima::pointwise
