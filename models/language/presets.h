#pragma once

#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>

#include <string>
#include <vector>

namespace minima::models {

/// The options of a published GPT-2 by its name on Hugging Face's hub (gpt2, gpt2-medium, gpt2-large, gpt2-xl), or of a
/// smaller one: gpt2-tiny (6 layers of width 384, 256 positions: learns on a laptop's cores in minutes) and gpt2-mini
/// (8 of 512). Throws ValueError, which lists the names, for another.
MINIMA_API GPT2Options gpt2_preset(const std::string& name);
/// The same of Llama and its relatives: llama-2-7b, llama-3-8b, llama-3.1-8b, llama-3.1-70b, llama-3.1-405b,
/// llama-3.2-1b, llama-3.2-3b, mistral-7b, qwen2.5-0.5b, qwen2.5-1.5b, qwen2.5-7b, qwen3-0.6b, qwen3-1.7b, qwen3-4b,
/// qwen3-8b, and llama-tiny (6 layers of width 384, three query heads for each key head).
MINIMA_API LlamaOptions llama_preset(const std::string& name);

/// The names that gpt2_preset takes, smaller models first.
MINIMA_API std::vector<std::string> gpt2_presets();
/// The names that llama_preset takes, smaller models first.
MINIMA_API std::vector<std::string> llama_presets();

}  // namespace minima::models
