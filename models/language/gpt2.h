#pragma once

#include <minima/models/language/generate.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/embedding.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/layer_norm.h>

#include <cstdint>
#include <string>

namespace minima::models {

/// Those of the smallest GPT-2. The others have width 1024, 1280 and 1600, layers 24, 36 and 48, heads 16, 20 and 25.
struct GPT2Options {
  std::int64_t vocabulary = 50257;
  std::int64_t positions = 1024;  ///< the longest text
  std::int64_t width = 768;
  std::int64_t layers = 12;
  std::int64_t heads = 12;  ///< a divisor of width
  double dropout = 0.1;
};

/// Holds the layers of a GPT2 below its output layer: its child `transformer`.
class MINIMA_API GPT2Decoder : public nn::ModuleOf<GPT2Decoder> {
 public:
  explicit GPT2Decoder(const GPT2Options& options);
  Tensor forward(const Tensor& tokens, KVCaches* caches = nullptr);

  GPT2Options options;
  nn::Embedding wte, wpe;  ///< of tokens and positions
  nn::ModuleList h;
  nn::LayerNorm ln_f;
};

/// GPT-2 (Radford et al. 2019), Hugging Face's GPT2LMHeadModel, with its names: tokens [B, T] of int64 → logits [B, T,
/// vocabulary] of the tokens after each. The output layer shares the embedding's weight.
///   models::GPT2 net;
///   net.load_pretrained(read_safetensors("model.safetensors"));
///   net.eval();
///   Tensor text = net.generate(prompt, {.new_tokens = 40, .temperature = 0.8, .top_k = 50});
class MINIMA_API GPT2 : public nn::ModuleOf<GPT2> {
 public:
  /// Throws ValueError for sizes below 1, or if heads does not divide width.
  explicit GPT2(const GPT2Options& options = {});
  /// With caches, `tokens` follow those of earlier calls. Throws ShapeError for more positions than there are.
  Tensor forward(const Tensor& tokens, KVCaches* caches = nullptr);
  /// What Generation needs: next logits, sizes. It shares this model's layers.
  CausalModel causal() const;
  /// A cache for each layer.
  KVCaches caches(std::int64_t capacity) const;
  /// The prompt [B, T] and what follows it, one position at a time with cached keys and values. Call eval() first.
  Tensor generate(const Tensor& prompt, const GenerateOptions& options = {});
  /// Loads a state dict of Hugging Face's GPT2LMHeadModel or GPT2Model. Its Conv1D weights are [in, out] and are
  /// transposed; masks that old files hold are ignored. What minima saved, with weights [out, in], is loaded by
  /// nn::load or load_state_dict instead: here it is a ValueError, strict or not.
  nn::LoadReport load_pretrained(const State& state, nn::LoadOptions load_options = {});
  /// The way back: the state dict of Hugging Face's GPT2LMHeadModel, with Conv1D weights [in, out], and without the
  /// output layer's where that is the embedding's. Its tensors share the model's memory.
  State pretrained_state() const;
  /// Writes pretrained_state() with the metadata that transformers' `from_pretrained` asks for. A path that ends in
  /// `.safetensors` gets the weights alone, for the folder of the model's config.json; any other is a folder, which
  /// gets `model.safetensors` and a config.json of the options:
  ///   net.save_pretrained("tuned");
  void save_pretrained(const std::string& path) const;

  GPT2Options options;
  GPT2Decoder transformer;
  nn::Linear lm_head;
};

}  // namespace minima::models
