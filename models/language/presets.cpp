#include <minima/models/language/presets.h>

#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::models {

namespace {

template <class Options> using Presets = std::vector<std::pair<std::string, Options>>;

const Presets<GPT2Options>& gpt2_table() {
  static const Presets<GPT2Options> table{
      {"gpt2-tiny", {.positions = 256, .width = 384, .layers = 6, .heads = 6, .dropout = 0}},
      {"gpt2-mini", {.positions = 512, .width = 512, .layers = 8, .heads = 8, .dropout = 0}},
      {"gpt2", {}},
      {"gpt2-medium", {.width = 1024, .layers = 24, .heads = 16}},
      {"gpt2-large", {.width = 1280, .layers = 36, .heads = 20}},
      {"gpt2-xl", {.width = 1600, .layers = 48, .heads = 25}}};
  return table;
}

LlamaOptions llama3(std::int64_t width, std::int64_t mlp, std::int64_t layers, std::int64_t heads) {
  return {.vocabulary = 128256,
          .width = width,
          .mlp = mlp,
          .layers = layers,
          .heads = heads,
          .key_heads = 8,
          .rope_theta = 500000,
          .positions = 8192};
}
/// Llama 3.1 and 3.2 read longer texts by scaled frequencies.
LlamaOptions scaled(LlamaOptions options, double factor, bool tied) {
  options.rope_scaling = {.factor = factor};
  options.positions = 131072;
  options.tied = tied;
  return options;
}
LlamaOptions qwen2(std::int64_t width, std::int64_t mlp, std::int64_t layers, std::int64_t heads,
                   std::int64_t key_heads) {
  return {.vocabulary = 151936,
          .width = width,
          .mlp = mlp,
          .layers = layers,
          .heads = heads,
          .key_heads = key_heads,
          .eps = 1e-6,
          .rope_theta = 1000000,
          .tied = true,
          .positions = 32768,
          .qkv_bias = true};
}
LlamaOptions qwen2_7b() {
  LlamaOptions options = qwen2(3584, 18944, 28, 28, 4);
  options.vocabulary = 152064;
  options.tied = false;
  return options;
}
LlamaOptions qwen3(std::int64_t width, std::int64_t mlp, std::int64_t layers, std::int64_t heads, bool tied) {
  return {.vocabulary = 151936,
          .width = width,
          .mlp = mlp,
          .layers = layers,
          .heads = heads,
          .key_heads = 8,
          .eps = 1e-6,
          .rope_theta = 1000000,
          .tied = tied,
          .head_dim = 128,
          .positions = 40960,
          .qk_norm = true};
}

const Presets<LlamaOptions>& llama_table() {
  static const Presets<LlamaOptions> table{
      {"llama-tiny",
       {.vocabulary = 8192, .width = 384, .mlp = 1024, .layers = 6, .heads = 6, .key_heads = 2, .tied = true}},
      {"qwen2.5-0.5b", qwen2(896, 4864, 24, 14, 2)},
      {"qwen3-0.6b", qwen3(1024, 3072, 28, 16, true)},
      {"llama-3.2-1b", scaled(llama3(2048, 8192, 16, 32), 32, true)},
      {"qwen2.5-1.5b", qwen2(1536, 8960, 28, 12, 2)},
      {"qwen3-1.7b", qwen3(2048, 6144, 28, 16, true)},
      {"llama-3.2-3b", scaled(llama3(3072, 8192, 28, 24), 32, true)},
      {"qwen3-4b", qwen3(2560, 9728, 36, 32, true)},
      {"llama-2-7b", {.positions = 4096}},
      {"mistral-7b", {.mlp = 14336, .key_heads = 8, .positions = 32768, .window = 4096}},
      {"qwen2.5-7b", qwen2_7b()},
      {"llama-3-8b", llama3(4096, 14336, 32, 32)},
      {"llama-3.1-8b", scaled(llama3(4096, 14336, 32, 32), 8, false)},
      {"qwen3-8b", qwen3(4096, 12288, 36, 32, false)},
      {"llama-3.1-70b", scaled(llama3(8192, 28672, 80, 64), 8, false)},
      {"llama-3.1-405b", scaled(llama3(16384, 53248, 126, 128), 8, false)}};
  return table;
}

template <class Options>
std::vector<std::string> names_of(const Presets<Options>& table) {
  std::vector<std::string> names;
  for (const auto& [name, options] : table) names.push_back(name);
  return names;
}

template <class Options>
Options find(const char* op, const Presets<Options>& table, const std::string& wanted) {
  std::string known;
  for (const auto& [name, options] : table) {
    if (name == wanted) return options;
    known += (known.empty() ? "" : ", ") + name;
  }
  throw ValueError(str(op, ": there is no \"", wanted, "\"; there are ", known));
}

}  // namespace

GPT2Options gpt2_preset(const std::string& name) { return find("gpt2_preset", gpt2_table(), name); }
LlamaOptions llama_preset(const std::string& name) { return find("llama_preset", llama_table(), name); }
std::vector<std::string> gpt2_presets() { return names_of(gpt2_table()); }
std::vector<std::string> llama_presets() { return names_of(llama_table()); }

}  // namespace minima::models
