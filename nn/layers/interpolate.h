#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/interpolate/interpolate.h>

namespace minima::nn {

/// Resizes x [N, C, d1, …], torch.nn.Upsample: `nn::Upsample({.scale = {2}})`. Options as in `interpolate`.
class MINIMA_API Upsample : public Module {
 public:
  explicit Upsample(const InterpolateOptions& given) : options(given) {}
  Tensor forward(const Tensor& x) override;
  InterpolateOptions options;
};

}  // namespace minima::nn
