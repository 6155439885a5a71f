#pragma once

#include <minima/nn/module/module.h>

namespace minima::nn {

struct FlattenOptions {
  std::int64_t first = 1;
  std::int64_t last = -1;
};
/// Merges dimensions `first` to `last` into one, torch.nn.Flatten: x [N, C, H, W] → [N, C·H·W].
class MINIMA_API Flatten : public Module {
 public:
  explicit Flatten(FlattenOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x) override;
  FlattenOptions options;
};

/// Returns its input, torch.nn.Identity: stands where a layer may be left out.
class MINIMA_API Identity : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

}  // namespace minima::nn
