#pragma once

#include <minima/nn/module/function_module.h>
#include <minima/ops/view/view.h>

namespace minima::nn {

struct FlattenOptions {
  std::int64_t first = 1;
  std::int64_t last = -1;
};
/// Merges dimensions `first` to `last` into one, torch.nn.Flatten: x [N, C, H, W] → [N, C·H·W].
struct MINIMA_API Flatten : FunctionModule<flatten, FlattenOptions, &FlattenOptions::first, &FlattenOptions::last> {
  using FunctionModule::FunctionModule;
};

/// Returns its input, torch.nn.Identity: a placeholder for an optional layer.
class MINIMA_API Identity : public Module {
 public:
  Tensor forward(const Tensor& x) override { return x; }
};

}  // namespace minima::nn
