#pragma once

#include <minima/models/language/generate.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/embedding.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/rms_norm.h>
#include <minima/ops/attention/rotary_embedding.h>

#include <cstdint>
#include <string>

namespace minima::models {

/// Llama 3.1's scaling of rotary frequencies for longer texts, the fields of `rope_parameters` in config.json.
struct RopeScaling {
  double factor = 1;  ///< 1 scales nothing; Llama 3.1 has 8 and Llama 3.2 has 32
  double low_freq_factor = 1;
  double high_freq_factor = 4;
  std::int64_t original_positions = 8192;
};

/// Those of Llama 2 7B; other models' are in their config.json, whose names these are, shortened.
struct LlamaOptions {
  std::int64_t vocabulary = 32000;
  std::int64_t width = 4096;  ///< hidden_size
  std::int64_t mlp = 11008;   ///< intermediate_size
  std::int64_t layers = 32;
  std::int64_t heads = 32;
  std::int64_t key_heads = 32;  ///< num_key_value_heads, a divisor of heads
  double eps = 1e-5;            ///< of the norms
  double rope_theta = 10000;
  RopeScaling rope_scaling = {};
  bool tied = false;  ///< the output layer shares the embedding's weight
};

/// Holds the layers of a Llama below its output layer: its child `model`.
class MINIMA_API LlamaDecoder : public nn::ModuleOf<LlamaDecoder> {
 public:
  explicit LlamaDecoder(const LlamaOptions& options);
  Tensor forward(const Tensor& tokens, KVCaches* caches = nullptr);

  LlamaOptions options;
  nn::Embedding embed_tokens;
  nn::ModuleList layers;
  nn::RMSNorm norm;

 private:
  RotaryTables tables(const Tensor& x, const Tensor& positions) const;

  Tensor frequencies_;  ///< of the pairs of a head's columns, in float64 on the CPU
};

/// Llama 1 to 3 (Touvron et al. 2023) and models of the same structure, Hugging Face's LlamaForCausalLM, with its
/// names: tokens [B, T] of int64 → logits [B, T, vocabulary] of the tokens after each.
///   models::Llama net({.vocabulary = 128256, .width = 2048, .mlp = 8192, .layers = 16, .heads = 32, .key_heads = 8,
///                      .rope_theta = 500000, .rope_scaling = {.factor = 32}, .tied = true});   // Llama 3.2 1B
///   net.to(bfloat16);
///   net.load_pretrained(read_safetensors("model.safetensors"));
///   Tensor text = net.generate(prompt, {.temperature = 0.6, .top_p = 0.9, .end = 128009});
class MINIMA_API Llama : public nn::ModuleOf<Llama> {
 public:
  /// Throws ValueError for sizes below 1, or if key_heads does not divide heads, or heads width into even parts.
  explicit Llama(const LlamaOptions& options = {});
  /// With caches, `tokens` follow those of earlier calls.
  Tensor forward(const Tensor& tokens, KVCaches* caches = nullptr);
  /// What Generation needs: next logits, sizes. It shares this model's layers.
  CausalModel causal() const;
  /// A cache for each layer.
  KVCaches caches(std::int64_t capacity) const;
  /// The prompt [B, T] and what follows it, one position at a time with cached keys and values.
  Tensor generate(const Tensor& prompt, const GenerateOptions& options = {});
  /// Loads a state dict of Hugging Face's LlamaForCausalLM or LlamaModel; rotary frequencies that old files hold are
  /// ignored. Of a model in several files, add all to one State first.
  nn::LoadReport load_pretrained(const State& state, nn::LoadOptions load_options = {});
  /// The way back: the state dict of Hugging Face's LlamaForCausalLM, without the output layer's weight where that is
  /// the embedding's. Its tensors share the model's memory.
  State pretrained_state() const;
  /// Writes pretrained_state() with the metadata that transformers' `from_pretrained` asks for. A path that ends in
  /// `.safetensors` gets the weights alone, for the folder of the model's config.json; any other is a folder, which
  /// gets `model.safetensors` and a config.json of the options:
  ///   net.save_pretrained("tuned");
  void save_pretrained(const std::string& path) const;

  LlamaOptions options;
  LlamaDecoder model;
  nn::Linear lm_head;
};

}  // namespace minima::models
