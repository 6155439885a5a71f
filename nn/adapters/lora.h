#pragma once

#include <minima/nn/module/module_base.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <vector>

// Low-rank adapters (Hu et al., arXiv:2106.09685): a layer's frozen weight W gets a trained update scale · B·A of few
// numbers. A and B are children of the layer, `q_proj.lora.NAME.A` in state dicts; the layer's own names stay.

namespace minima::nn {

struct LoraOptions {
  std::int64_t rank = 8;  ///< rows of A [rank, in] and columns of B [out, rank]
  double alpha = 8;       ///< the scale is alpha / rank
  /// The layers that get an adapter, Linear or Embedding: whole names, or ends of names from a dot on, such as
  /// `q_proj` for `model.layers.0.self_attn.q_proj` and its like.
  std::vector<std::string> targets = {};
  double dropout = 0;            ///< of what A gets, while training; not of an Embedding
  bool rank_stabilized = false;  ///< the scale is alpha / √rank (Kalajdzievski, arXiv:2312.03732)
  std::string name = "default";  ///< of the adapter, without dots: a model may have several
};

/// Adds an adapter to the targets, and freezes all other parameters: they require no gradient, lose the one they have,
/// and cost an optimizer nothing. The adapter is the one in use from now on; it changes nothing yet, since B is 0 (A of
/// an Embedding; the other factor is drawn as PyTorch draws a new layer's weights). Returns its parameters, float32 or
/// of the layer's dtype if that is wider, for an optimizer.
///   auto net = models::load<models::Llama>("folder", {.dtype = bfloat16});
///   optim::AdamW optimizer(nn::add_lora(net, {.rank = 8, .alpha = 16, .targets = {"q_proj", "v_proj"}}), {.lr =
///   2e-4});
/// The update is computed in a forward hook, in the dtype of the layer's input; a layer with a fused activation
/// computes its product twice. Weights that a module uses without calling their layer get no update. Throws ValueError,
/// and changes nothing, for a target that matches no layer or one of another kind, a name that is taken, and a model
/// whose adapters are merged, or whose parameters are sharded over ranks: add adapters before distributed::shard(), and
/// take their parameters from lora_parameters() behind it.
MINIMA_API std::vector<Tensor> add_lora(ModuleBase& net, const LoraOptions& options);

/// The names of all adapters, in the order they were added.
MINIMA_API std::vector<std::string> lora_names(const ModuleBase& net);
/// The names of the adapters that the layers add.
MINIMA_API std::vector<std::string> lora_names_in_use(const ModuleBase& net);
/// The parameters of an adapter; of all of them if the name is empty.
MINIMA_API std::vector<Tensor> lora_parameters(const ModuleBase& net, const std::string& name = "");

/// Uses these adapters, whose updates are added, and no others: none gives the model without adapters. Those in use
/// require gradients. Throws ValueError for a name that does not exist and for a model whose adapters are merged.
MINIMA_API void use_lora(ModuleBase& net, const std::vector<std::string>& names);

/// Adds the updates of the adapters in use to the weights, so that calls cost what they did before. Throws ValueError,
/// and changes nothing, if a weight is another layer's, too (a tied output layer would change with the embedding), or
/// sharded over ranks.
MINIMA_API void merge_lora(ModuleBase& net);
/// Subtracts them again. Weights are what they were up to rounding, of bfloat16 about 1/256 of the weight.
MINIMA_API void unmerge_lora(ModuleBase& net);
/// Removes an adapter, or all if the name is empty. What was merged stays merged, and the parameters stay frozen
/// (unfreeze makes them trainable). Throws ValueError for one of several that are merged.
MINIMA_API void remove_lora(ModuleBase& net, const std::string& name = "");

/// Writes an adapter as PEFT does, `adapter_config.json` and `adapter_model.safetensors` in a folder that is made if it
/// is missing: PeftModel.from_pretrained reads it. Of a sharded model it is saved while Sharding::gather() keeps
/// weights whole: outside of that, stages 1 and 2 still have the weights of the last forward pass.
MINIMA_API void save_lora(const std::string& folder, const ModuleBase& net, const std::string& name = "default");
/// Adds an adapter from PEFT's files, or save_lora's, as add_lora does. Throws FileError or FormatError for files that
/// are missing or broken, and ValueError, having changed nothing, for adapters that are no plain LoRA (by the option's
/// name) and for those of another model (by the first layer that differs).
MINIMA_API std::vector<Tensor> load_lora(const std::string& folder, ModuleBase& net,
                                         const std::string& name = "default");

}  // namespace minima::nn
