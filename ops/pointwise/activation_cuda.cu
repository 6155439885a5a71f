#include <minima/ops/pointwise/functors/activation.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Relu, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Gelu, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::GeluTanh, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Sigmoid, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Tanh, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Silu, 1, FullFloatingTypes, ResultType::same>;

template struct CudaLoop<functor::ReluGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::GeluGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::GeluTanhGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::SigmoidGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::TanhGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::SiluGradient, 2, FullFloatingTypes, ResultType::same>;

}  // namespace minima::pointwise
