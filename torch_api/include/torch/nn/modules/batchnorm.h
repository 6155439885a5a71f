#pragma once

#include <torch/nn/modules/layer.h>
#include <torch/nn/options/batchnorm.h>

#include <cstddef>

namespace torch::nn {

/// The parameters and running statistics of batch and instance norms. Defined for this library's layers only.
template <size_t D, typename Derived, typename DerivedOptions>
class NormImplBase : public Cloneable<Derived> {
 public:
  NormImplBase(const DerivedOptions& options_);
  void reset() override;
  void reset_running_stats();
  void reset_parameters();

  DerivedOptions options;
  Tensor weight, bias;
  Tensor running_mean, running_var;
  Tensor num_batches_tracked;  ///< an int64 scalar
};

template <size_t D, typename Derived>
class BatchNormImplBase : public NormImplBase<D, Derived, BatchNormOptions> {
 public:
  using NormImplBase<D, Derived, BatchNormOptions>::NormImplBase;
  Tensor forward(const Tensor& input);
  void pretty_print(std::ostream& stream) const override;
};

class BatchNorm1dImpl : public BatchNormImplBase<1, BatchNorm1dImpl> {
 public:
  using BatchNormImplBase<1, BatchNorm1dImpl>::BatchNormImplBase;
};
TORCH_MODULE(BatchNorm1d);

class BatchNorm2dImpl : public BatchNormImplBase<2, BatchNorm2dImpl> {
 public:
  using BatchNormImplBase<2, BatchNorm2dImpl>::BatchNormImplBase;
};
TORCH_MODULE(BatchNorm2d);

class BatchNorm3dImpl : public BatchNormImplBase<3, BatchNorm3dImpl> {
 public:
  using BatchNormImplBase<3, BatchNorm3dImpl>::BatchNormImplBase;
};
TORCH_MODULE(BatchNorm3d);

}  // namespace torch::nn
