#include <minima/ops/special/polynomial_functors.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::OrthogonalPolynomial, 2, FullFloatingTypes, ResultType::floating>;

}  // namespace minima::pointwise
