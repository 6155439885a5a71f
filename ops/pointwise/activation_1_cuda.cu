#include <minima/ops/pointwise/functors/activation.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::Relu, 1, NumericTypes, ResultType::same>;
template struct CudaLoop<functor::Gelu, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::GeluTanh, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Sigmoid, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Silu, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::LeakyRelu, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Elu, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Softplus, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Mish, 1, FullFloatingTypes, ResultType::same>;

template struct CudaLoop<functor::Hardswish, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Hardsigmoid, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Hardtanh, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::ReluSquared, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Softsign, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::LogSigmoid, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Hardshrink, 1, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Softshrink, 1, FullFloatingTypes, ResultType::same>;

}  // namespace minima::pointwise
