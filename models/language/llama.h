#pragma once

#include <minima/models/language/block_calls.h>
#include <minima/models/language/causal.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/embedding.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/rms_norm.h>

#include <cstdint>
#include <memory>
#include <string>

namespace minima::models {

namespace detail {
class Rotary;
}

/// Scaling of rotary frequencies for longer texts, the fields of `rope_parameters` in config.json: Llama 3.1's, or all
/// by one factor.
struct RopeScaling {
  double factor = 1;  ///< 1 scales nothing; Llama 3.1 has 8 and Llama 3.2 has 32
  double low_freq_factor = 1;
  double high_freq_factor = 4;
  std::int64_t original_positions = 8192;
  bool linear = false;  ///< divide all frequencies by `factor` (Chen et al., arXiv:2306.15595); only `factor` counts
};

/// The defaults are Llama 2 7B's; llama_preset has others, and config.json those of any published model, under longer
/// names.
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
  bool tied = false;             ///< the output layer shares the embedding's weight
  std::int64_t head_dim = 0;     ///< features of a head, even; 0 means width / heads
  std::int64_t positions = 0;    ///< max_position_embeddings: longer texts are refused; 0 means any length
  bool qkv_bias = false;         ///< biases of queries, keys and values: Qwen 2
  bool out_bias = false;         ///< bias of attention's output layer
  bool mlp_bias = false;         ///< biases of the feed-forward layers
  bool qk_norm = false;          ///< RMS norms of each head's queries and keys: Qwen 3
  std::int64_t window = 0;       ///< a position sees itself and window - 1 before it: Mistral; 0 means all
  std::int64_t window_from = 0;  ///< the first layer with a window: Qwen's max_window_layers
  double logit_soft_cap = 0;     ///< c of logits c · tanh(logits / c); 0 means none
  DType dtype = DType::float32;  ///< of the parameters
  BlockCalls calls = BlockCalls::chained;

  std::int64_t head_size() const { return head_dim == 0 ? width / heads : head_dim; }
};

/// Holds the layers of a Llama below its output layer: its child `model`.
class MINIMA_API LlamaDecoder : public nn::ModuleOf<LlamaDecoder> {
 public:
  explicit LlamaDecoder(const LlamaOptions& options);
  Tensor forward(const Tensor& tokens, KVCaches* caches = nullptr, const Tensor& segments = {});

  LlamaOptions options;
  nn::Embedding embed_tokens;
  nn::ModuleList layers;
  nn::RMSNorm norm;

 private:
  std::shared_ptr<detail::Rotary> rotary_;
};

/// Llama 1 to 3 (Touvron et al. 2023), Mistral, Qwen 2, 2.5 and 3, and models of the same structure, Hugging Face's
/// LlamaForCausalLM, MistralForCausalLM, Qwen2ForCausalLM and Qwen3ForCausalLM, with their names: tokens [B, T] of
/// int64 → logits [B, T, vocabulary] of the tokens after each.
///   auto net = models::load<models::Llama>("Llama-3.2-1B");                   // as config.json says
///   models::Llama fresh(models::llama_preset("llama-3.2-1b"));                // random weights
///   Tensor text = net.generate(prompt, {.temperature = 0.6, .top_p = 0.9, .end = 128009});
class MINIMA_API Llama : public CausalLM {
 public:
  /// Throws ValueError for sizes below 1, if key_heads does not divide heads, or if a head's features are odd.
  explicit Llama(const LlamaOptions& options = {});
  Tensor hidden(const Tensor& tokens, KVCaches* caches = nullptr, const Tensor& segments = {}) override;
  CausalModel causal() const override;
  /// Loads a state dict of Hugging Face's LlamaForCausalLM or LlamaModel, or of its relatives; rotary frequencies that
  /// old files hold are ignored.
  nn::LoadReport load_pretrained(const State& state, nn::LoadOptions load_options = {}) override;
  State pretrained_state() const override;
  /// The class that config.json names follows from the options: Qwen3 for norms of queries and keys, Qwen2 for biases
  /// of queries, keys and values alone, Mistral for windows, else Llama.
  void save_pretrained(const std::string& path) const override;

  const nn::Linear& head() const override { return lm_head; }
  double soft_cap() const override { return options.logit_soft_cap; }

  LlamaOptions options;
  LlamaDecoder model;
  nn::Linear lm_head;
};

}  // namespace minima::models
