#include <minima/ops/loss/loss_functors.h>
#include <minima/ops/loops/loop.cuh>

namespace minima::pointwise {

template struct CudaLoop<functor::SquaredError, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::AbsoluteError, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::HuberLoss, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::BceWithLogits, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::Bce, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::KlDivergence, 2, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::KlDivergenceOfLogs, 2, FullFloatingTypes, ResultType::same>;

template struct CudaLoop<functor::SquaredErrorGradient, 3, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::AbsoluteErrorGradient, 3, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::HuberLossGradient, 3, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::BceWithLogitsGradient, 3, FullFloatingTypes, ResultType::same>;
template struct CudaLoop<functor::BceGradient, 3, FullFloatingTypes, ResultType::same>;

}  // namespace minima::pointwise
