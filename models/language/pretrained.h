#pragma once

#include <minima/io/state.h>
#include <minima/io/text/json.h>
#include <minima/nn/module/module_base.h>

#include <string>

namespace minima::models::detail {

/// Writes a state under Hugging Face's names. A path that ends in `.safetensors` gets the weights alone. Any other is a
/// folder, made if it is missing, that gets `model.safetensors` and `config.json`: `config` with the weights' dtype.
void save_pretrained(const std::string& path, State state, Json config);

/// The state dict without adapters (nn/adapters), which have files of their own.
State base_state(const nn::ModuleBase& net);

/// load_state_dict with one line for all differences, which a model of other options has in every layer, and a
/// ValueError for weights that are no floating numbers.
nn::LoadReport load_weights(nn::ModuleBase& net, const State& state, nn::LoadOptions options);

/// Completes a state by the output layer of a model whose options tie it to the embedding. A state of the model that
/// holds both must have them equal, or this throws ValueError: of two weights one would be lost.
void settle_tied_head(State& state, const char* model, bool tied, const char* embedding);

}  // namespace minima::models::detail
