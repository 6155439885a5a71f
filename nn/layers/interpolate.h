#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/interpolate/interpolate.h>

namespace minima::nn {

/// x [N, C, d1, …] in another size, torch.nn.Upsample: `nn::Upsample({.scale = {2}})`; options as in interpolate.
class MINIMA_API Upsample : public Module {
 public:
  explicit Upsample(const InterpolateOptions& given) : options(given) {}
  Tensor forward(const Tensor& x) override;
  InterpolateOptions options;
};

}  // namespace minima::nn
