#pragma once

#include <torch/nn/modules/layer.h>
#include <torch/nn/options/normalization.h>

#include <vector>

namespace torch::nn {

class LayerNormImpl : public Cloneable<LayerNormImpl> {
 public:
  LayerNormImpl(std::vector<int64_t> normalized_shape);
  explicit LayerNormImpl(LayerNormOptions options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  LayerNormOptions options;
  Tensor weight, bias;
};
TORCH_MODULE(LayerNorm);

class GroupNormImpl : public Cloneable<GroupNormImpl> {
 public:
  GroupNormImpl(int64_t num_groups, int64_t num_channels);
  explicit GroupNormImpl(const GroupNormOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  GroupNormOptions options;
  Tensor weight, bias;
};
TORCH_MODULE(GroupNorm);

MINIMA_TORCH_LAYER(LocalResponseNorm, (const Tensor& input));

/// LocalResponseNorm of images [N, C, H, W], with PyTorch's windows: each also has channel 0.
MINIMA_TORCH_LAYER(CrossMapLRN2d, (const Tensor& input));

}  // namespace torch::nn
