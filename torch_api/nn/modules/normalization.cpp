#include <torch/nn/modules/normalization.h>

#include <c10/util/Exception.h>
#include <torch/nn/functional/normalization.h>
#include <torch/nn/init.h>

#include <utility>

#include "layer_printer.h"

namespace F = torch::nn::functional;

namespace torch::nn {

namespace {

void reset_affine(const Tensor& weight, const Tensor& bias) {
  if (!weight.defined()) return;
  init::ones_(weight);
  init::zeros_(bias);
}

}  // namespace

LayerNormImpl::LayerNormImpl(std::vector<int64_t> normalized_shape)
    : LayerNormImpl(LayerNormOptions(std::move(normalized_shape))) {}
LayerNormImpl::LayerNormImpl(LayerNormOptions options_) : options(std::move(options_)) { LayerNormImpl::reset(); }
void LayerNormImpl::reset() {
  const bool affine = options.elementwise_affine();
  const auto tensor = [&] { return affine ? torch::empty(options.normalized_shape()) : Tensor(); };
  weight = register_parameter("weight", tensor(), affine);
  bias = register_parameter("bias", tensor(), affine);
  reset_parameters();
}
void LayerNormImpl::reset_parameters() { reset_affine(weight, bias); }
void LayerNormImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter(stream, "LayerNorm")(options.normalized_shape())("eps", options.eps())("elementwise_affine",
                                                                                      options.elementwise_affine());
}
Tensor LayerNormImpl::forward(const Tensor& input) {
  return F::layer_norm(
      input, F::LayerNormFuncOptions(options.normalized_shape()).weight(weight).bias(bias).eps(options.eps()));
}

GroupNormImpl::GroupNormImpl(int64_t num_groups, int64_t num_channels)
    : GroupNormImpl(GroupNormOptions(num_groups, num_channels)) {}
GroupNormImpl::GroupNormImpl(const GroupNormOptions& options_) : options(options_) { GroupNormImpl::reset(); }
void GroupNormImpl::reset() {
  const bool affine = options.affine();
  const auto tensor = [&] { return affine ? torch::empty({options.num_channels()}) : Tensor(); };
  weight = register_parameter("weight", tensor(), affine);
  bias = register_parameter("bias", tensor(), affine);
  reset_parameters();
}
void GroupNormImpl::reset_parameters() { reset_affine(weight, bias); }
void GroupNormImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter(stream, "GroupNorm")(options.num_groups())(options.num_channels())("eps", options.eps())(
      "affine", options.affine());
}
Tensor GroupNormImpl::forward(const Tensor& input) {
  return F::group_norm(input,
                       F::GroupNormFuncOptions(options.num_groups()).weight(weight).bias(bias).eps(options.eps()));
}

void LocalResponseNormImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter(stream, "LocalResponseNorm")(options.size())("alpha", options.alpha())("beta", options.beta())(
      "k", options.k());
}
Tensor LocalResponseNormImpl::forward(const Tensor& input) { return F::local_response_norm(input, options); }

void CrossMapLRN2dImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter(stream, "CrossMapLRN2d")(options.size())("alpha", options.alpha())("beta", options.beta())("k",
                                                                                                          options.k());
}
// As in PyTorch, whose running sum over the channels of a window never drops the first channel: every window has it.
Tensor CrossMapLRN2dImpl::forward(const Tensor& input) {
  TORCH_CHECK(input.dim() == 4, "CrossMapLRN2d: Expected input to be 4D, got ", input.dim(), "D instead.");
  const int64_t channels = input.size(1), before = (options.size() - 1) / 2 + 1;
  const Tensor channel = torch::arange(channels, torch::dtype(torch::kLong).device(input.device()));
  const Tensor sums = input.square().cumsum(1);
  const Tensor last = sums.index_select(1, (channel + (before - 1)).clamp_max(channels - 1));
  const Tensor left_out = sums.index_select(1, (channel - before).clamp_min(0)) - sums.narrow(1, 0, 1);
  const double weight = options.alpha() / static_cast<double>(options.size());
  return input * ((last - left_out) * weight + options.k()).pow(-options.beta());
}

}  // namespace torch::nn
