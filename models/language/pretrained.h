#pragma once

#include <minima/io/state.h>

#include <string>

namespace minima::models::detail {

/// Writes a state under Hugging Face's names as safetensors, with the metadata that `from_pretrained` asks for.
void save_pretrained(const std::string& path, State state);

}  // namespace minima::models::detail
