#include <minima/ops/pointwise/functors/activation.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::ReluGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::GeluGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::GeluTanhGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::SigmoidGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Glu, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::GluGradient, 3, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::SiluGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Swiglu, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::SwigluGradient, 3, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::LeakyReluGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::EluGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::SoftplusGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::MishGradient, 2, FullFloatingTypes, ResultType::same>;

template struct CudaLoop<functor::HardswishGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::HardsigmoidGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::HardtanhGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::ReluSquaredGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::SoftsignGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::LogSigmoidGradient, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::HardshrinkGradient, 2, FullFloatingTypes, ResultType::same>;

}  // namespace minima::pointwise
