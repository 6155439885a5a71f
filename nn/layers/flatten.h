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

/// Splits a dimension into several, torch.nn.Unflatten: `nn::Unflatten(1, {3, 8, 8})`.
class MINIMA_API Unflatten : public Module {
 public:
  Unflatten(std::int64_t dim, const Shape& sizes) : dim(dim), sizes(sizes) {}
  Tensor forward(const Tensor& x) override { return unflatten(x, dim, sizes); }
  std::int64_t dim;
  Shape sizes;
};

/// Returns its input, torch.nn.Identity: a placeholder for an optional layer.
class MINIMA_API Identity : public Module {
 public:
  Tensor forward(const Tensor& x) override { return x; }
};

}  // namespace minima::nn
