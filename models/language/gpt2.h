#pragma once

#include <minima/models/language/block_calls.h>
#include <minima/models/language/causal.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/embedding.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/layer_norm.h>

#include <cstdint>
#include <string>

namespace minima::models {

/// The defaults are the smallest GPT-2's; gpt2_preset has the others.
struct GPT2Options {
  std::int64_t vocabulary = 50257;
  std::int64_t positions = 1024;  ///< the longest text
  std::int64_t width = 768;
  std::int64_t layers = 12;
  std::int64_t heads = 12;  ///< a divisor of width
  double dropout = 0.1;
  std::int64_t mlp = 0;          ///< hidden features of the feed-forward layers; 0 means 4 · width
  double eps = 1e-5;             ///< of the norms
  bool tied = true;              ///< the output layer shares the embedding's weight
  double logit_soft_cap = 0;     ///< c of logits c · tanh(logits / c); 0 means none
  DType dtype = DType::float32;  ///< of the parameters
  BlockCalls calls = BlockCalls::chained;
};

/// Holds the layers of a GPT2 below its output layer: its child `transformer`.
class MINIMA_API GPT2Decoder : public nn::ModuleOf<GPT2Decoder> {
 public:
  explicit GPT2Decoder(const GPT2Options& options);
  Tensor forward(const Tensor& tokens, KVCaches* caches = nullptr, const Tensor& segments = {});

  GPT2Options options;
  nn::Embedding wte, wpe;  ///< of tokens and positions
  nn::ModuleList h;
  nn::LayerNorm ln_f;
};

/// GPT-2 (Radford et al. 2019), Hugging Face's GPT2LMHeadModel, with its names: tokens [B, T] of int64 → logits [B, T,
/// vocabulary] of the tokens after each. The output layer shares the embedding's weight, unless options say otherwise.
///   models::GPT2 net;
///   net.load_pretrained(read_safetensors("model.safetensors"));   // or auto net =
///   models::load<models::GPT2>("folder") net.eval(); Tensor text = net.generate(prompt, {.new_tokens = 40,
///   .temperature = 0.8, .top_k = 50});
class MINIMA_API GPT2 : public CausalLM {
 public:
  /// Throws ValueError for sizes below 1, or if heads does not divide width.
  explicit GPT2(const GPT2Options& options = {});
  Tensor hidden(const Tensor& tokens, KVCaches* caches = nullptr, const Tensor& segments = {}) override;
  CausalModel causal() const override;
  /// Loads a state dict of Hugging Face's GPT2LMHeadModel or GPT2Model. Its Conv1D weights are [in, out] and are
  /// transposed; masks that old files hold are ignored. What minima saved, with weights [out, in], is loaded by
  /// nn::load or load_state_dict instead: here it is a ValueError, strict or not.
  nn::LoadReport load_pretrained(const State& state, nn::LoadOptions load_options = {}) override;
  /// That of Hugging Face's GPT2LMHeadModel, with Conv1D weights [in, out].
  State pretrained_state() const override;
  void save_pretrained(const std::string& path) const override;

  const nn::Linear& head() const override { return lm_head; }
  double soft_cap() const override { return options.logit_soft_cap; }

  GPT2Options options;
  GPT2Decoder transformer;
  nn::Linear lm_head;
};

}  // namespace minima::models
