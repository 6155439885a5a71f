#include <minima/ops/whole_numbers/functors.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Gcd, 2, IntegerTypes, ResultType::same>;
template struct CudaLoop<functor::Lcm, 2, IntegerTypes, ResultType::same>;
template struct CudaLoop<functor::FrexpMantissa, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::FrexpExponent, 1, FullFloatingTypes, ResultType::same>;

}  // namespace minima::pointwise
