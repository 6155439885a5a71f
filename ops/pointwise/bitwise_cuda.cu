#include <minima/ops/pointwise/functors/bitwise.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::BitAnd, 2, BitTypes, ResultType::same>;
template struct CudaLoop<functor::BitOr, 2, BitTypes, ResultType::same>;
template struct CudaLoop<functor::BitXor, 2, BitTypes, ResultType::same>;
template struct CudaLoop<functor::BitNot, 1, BitTypes, ResultType::same>;
template struct CudaLoop<functor::ShiftLeft, 2, IntegerTypes, ResultType::same>;
template struct CudaLoop<functor::ShiftRight, 2, IntegerTypes, ResultType::same>;

}  // namespace minima::pointwise
