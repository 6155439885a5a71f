#pragma once

#include <minima/nn/adapters/lora.h>
#include <minima/nn/module/module_base.h>
#include <minima/tensor/tensor.h>

#include <string>
#include <vector>

// Internal to nn/adapters.

namespace minima::nn::detail {

/// The child `lora.NAME` of a layer.
struct LoraAdapter : ModuleBase {
  LoraAdapter(const LoraOptions& options, const Tensor& down, const Tensor& up);
  double scale() const;

  LoraOptions options;
  bool is_used = true, is_merged = false;
  Parameter down, up;  ///< the paper's A [rank, in] and B [out, rank]
};

/// The child `lora` of a layer, whose items are its adapters.
struct LoraGroup : ModuleBase {
  ForwardHookHandle hook;
};

/// A layer with adapters, or that could have one.
struct LoraLayer {
  std::string name;
  ModuleBase* module;

  LoraGroup* group() const;
  std::vector<LoraAdapter*> adapters() const;
  LoraAdapter* find(const std::string& adapter) const;
  bool is_embedding() const;
  /// The layer's own weight: [out, in], or [V, D].
  Tensor& weight() const;
  std::int64_t in() const;
  std::int64_t out() const;
};

/// The layers of a model that have adapters, in the order of their names.
std::vector<LoraLayer> lora_layers(const ModuleBase& net);
bool takes_adapters(ModuleBase& module);
/// All modules as candidates.
std::vector<LoraLayer> all_layers(const ModuleBase& net);
void expect_unmerged(const char* op, const ModuleBase& net);
void expect_new_adapter(const char* op, const ModuleBase& net, const LoraOptions& options);

/// Adds an adapter with these factors to each layer, as the one in use, and freezes the rest.
struct NewAdapter {
  LoraLayer layer;
  Tensor a, b;
};
std::vector<Tensor> attach(ModuleBase& net, const LoraOptions& options, const std::vector<NewAdapter>& adapters);

}  // namespace minima::nn::detail
