#pragma once

#include <minima/io/state.h>
#include <minima/io/text/json.h>

#include <string>

namespace minima::models::detail {

/// Writes a state under Hugging Face's names. A path that ends in `.safetensors` gets the weights alone. Any other is a
/// folder, made if it is missing, that gets `model.safetensors` and `config.json`: `config` with the weights' dtype.
void save_pretrained(const std::string& path, State state, Json config);

}  // namespace minima::models::detail
