#include <torch/nn/modules/batchnorm.h>

#include <c10/util/Exception.h>
#include <torch/nn/functional/batchnorm.h>
#include <torch/nn/functional/instancenorm.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/instancenorm.h>

#include <string>

#include "layer_printer.h"

namespace F = torch::nn::functional;

namespace torch::nn {

template <size_t D, typename Derived, typename DerivedOptions>
NormImplBase<D, Derived, DerivedOptions>::NormImplBase(const DerivedOptions& options_) : options(options_) {
  NormImplBase::reset();
}

template <size_t D, typename Derived, typename DerivedOptions>
void NormImplBase<D, Derived, DerivedOptions>::reset() {
  const bool affine = options.affine(), tracks = options.track_running_stats();
  const auto vector = [this](bool wanted) { return wanted ? torch::empty({options.num_features()}) : Tensor(); };
  weight = this->register_parameter("weight", vector(affine), affine);
  bias = this->register_parameter("bias", vector(affine), affine);
  running_mean = this->register_buffer("running_mean", vector(tracks));
  running_var = this->register_buffer("running_var", vector(tracks));
  num_batches_tracked =
      this->register_buffer("num_batches_tracked", tracks ? torch::empty({}, torch::dtype(torch::kLong)) : Tensor());
  reset_parameters();
}

template <size_t D, typename Derived, typename DerivedOptions>
void NormImplBase<D, Derived, DerivedOptions>::reset_running_stats() {
  if (!options.track_running_stats()) return;
  running_mean.zero_();
  running_var.fill_(1);
  num_batches_tracked.zero_();
}

template <size_t D, typename Derived, typename DerivedOptions>
void NormImplBase<D, Derived, DerivedOptions>::reset_parameters() {
  reset_running_stats();
  if (!options.affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}

namespace {

/// Throws unless x has one of two ranks, the lower of which comes first.
void check_rank(const Tensor& x, int64_t lower, int64_t upper) {
  if (lower == upper) TORCH_CHECK(x.dim() == upper, "expected ", upper, "D input (got ", x.dim(), "D input)");
  TORCH_CHECK(x.dim() == lower || x.dim() == upper, "expected ", lower, "D or ", upper, "D input (got ", x.dim(),
              "D input)");
}

template <class Options>
void print_norm(std::ostream& stream, const std::string& name, const Options& options) {
  LayerPrinter print(stream, name.c_str());
  print(options.num_features())("eps", options.eps());
  if constexpr (std::is_same_v<Options, InstanceNormOptions>) print("momentum", options.momentum());
  else if (options.momentum()) print("momentum", *options.momentum());
  else print("momentum", "None");
  print("affine", options.affine())("track_running_stats", options.track_running_stats());
}

}  // namespace

template <size_t D, typename Derived>
Tensor BatchNormImplBase<D, Derived>::forward(const Tensor& input) {
  check_rank(input, D == 1 ? 2 : D + 2, D + 2);
  const auto& options = this->options;
  const bool tracks = options.track_running_stats(), training = this->is_training();
  double momentum = options.momentum().value_or(0);
  if (training && tracks && this->num_batches_tracked.defined()) {
    this->num_batches_tracked += 1;
    // Without a momentum, the running statistics are the average of all batches'.
    if (!options.momentum()) momentum = 1 / this->num_batches_tracked.template item<double>();
  }
  return F::batch_norm(input, this->running_mean, this->running_var,
                       F::BatchNormFuncOptions()
                           .weight(this->weight)
                           .bias(this->bias)
                           .training(training || !tracks)
                           .momentum(momentum)
                           .eps(options.eps()));
}

template <size_t D, typename Derived>
void BatchNormImplBase<D, Derived>::pretty_print(std::ostream& stream) const {
  print_norm(stream, "BatchNorm" + std::to_string(D) + 'd', this->options);
}

template <size_t D, typename Derived>
Tensor InstanceNormImpl<D, Derived>::forward(const Tensor& input) {
  check_rank(input, D + 1, D + 2);
  const auto& options = this->options;
  const bool is_batch = input.dim() == D + 2;
  const Tensor y = F::instance_norm(is_batch ? input : input.unsqueeze(0),
                                    F::InstanceNormFuncOptions()
                                        .running_mean(this->running_mean)
                                        .running_var(this->running_var)
                                        .weight(this->weight)
                                        .bias(this->bias)
                                        .use_input_stats(this->is_training() || !options.track_running_stats())
                                        .momentum(options.momentum())
                                        .eps(options.eps()));
  return is_batch ? y : y.squeeze(0);
}

template <size_t D, typename Derived>
void InstanceNormImpl<D, Derived>::pretty_print(std::ostream& stream) const {
  print_norm(stream, "InstanceNorm" + std::to_string(D) + 'd', this->options);
}

#define INSTANTIATE(D)                                                         \
  template class NormImplBase<D, BatchNorm##D##dImpl, BatchNormOptions>;       \
  template class BatchNormImplBase<D, BatchNorm##D##dImpl>;                    \
  template class NormImplBase<D, InstanceNorm##D##dImpl, InstanceNormOptions>; \
  template class InstanceNormImpl<D, InstanceNorm##D##dImpl>;

INSTANTIATE(1)
INSTANTIATE(2)
INSTANTIATE(3)

#undef INSTANTIATE

}  // namespace torch::nn
