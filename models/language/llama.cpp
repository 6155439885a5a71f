#include <minima/models/language/llama.h>

#include <minima/io/state.h>
#include <minima/io/text/json.h>
#include <minima/models/check_size.h>
#include <minima/models/language/cached_attention.h>
#include <minima/models/language/generate.h>
#include <minima/models/language/generation.h>
#include <minima/models/language/pretrained.h>
#include <minima/nn/attention/kv_cache.h>
#include <minima/nn/init/init.h>
#include <minima/nn/layers/embedding.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/load_report.h>
#include <minima/nn/module/module.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/norm/rms_norm.h>
#include <minima/ops/attention/rotary_embedding.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>

namespace minima::models {

namespace {

nn::Linear projection(std::int64_t in, std::int64_t out) { return nn::Linear({.in = in, .out = out, .bias = false}); }

nn::RMSNorm llama_norm(const LlamaOptions& options) {
  return nn::RMSNorm({.shape = {options.width}, .eps = options.eps});
}

struct LlamaAttention : nn::ModuleOf<LlamaAttention> {
  explicit LlamaAttention(const LlamaOptions& options)
      : heads(options.heads),
        key_heads(options.key_heads),
        head_width(options.width / options.heads),
        q_proj(child("q_proj", projection(options.width, options.width))),
        k_proj(child("k_proj", projection(options.width, key_heads * head_width))),
        v_proj(child("v_proj", projection(options.width, key_heads * head_width))),
        o_proj(child("o_proj", projection(options.width, options.width))) {}
  Tensor forward(const Tensor& x, const RotaryTables& tables, nn::KVCache* cache) {
    const std::int64_t n = x.size(0), t = x.size(1);
    const auto split_heads = [&](const Tensor& y, std::int64_t count) {
      return transpose(reshape(y, {n, t, count, head_width}), 1, 2);
    };
    const Tensor q = rotary_embedding(split_heads(q_proj(x), heads), tables.cos, tables.sin);
    const Tensor k = rotary_embedding(split_heads(k_proj(x), key_heads), tables.cos, tables.sin);
    const Tensor y = detail::cached_attention(q, k, split_heads(v_proj(x), key_heads), cache, {.grouped = true});
    return o_proj(reshape(transpose(y, 1, 2), {n, t, heads * head_width}));
  }

  std::int64_t heads, key_heads, head_width;
  nn::Linear q_proj, k_proj, v_proj, o_proj;
};

struct LlamaMLP : nn::Module {
  explicit LlamaMLP(const LlamaOptions& options)
      : gate_proj(child("gate_proj", projection(options.width, options.mlp))),
        up_proj(child("up_proj", projection(options.width, options.mlp))),
        down_proj(child("down_proj", projection(options.mlp, options.width))) {}
  Tensor forward(const Tensor& x) override { return down_proj(silu(gate_proj(x)) * up_proj(x)); }

  nn::Linear gate_proj, up_proj, down_proj;
};

/// x + attention(norm(x)), then x + mlp(norm(x)).
struct LlamaLayer : nn::ModuleOf<LlamaLayer> {
  explicit LlamaLayer(const LlamaOptions& options)
      : self_attn(child("self_attn", LlamaAttention(options))),
        mlp(child("mlp", LlamaMLP(options))),
        input_layernorm(child("input_layernorm", llama_norm(options))),
        post_attention_layernorm(child("post_attention_layernorm", llama_norm(options))) {}
  Tensor forward(const Tensor& x, const RotaryTables& tables, nn::KVCache* cache) {
    const auto [h, normed] = post_attention_layernorm.add(self_attn(input_layernorm(x), tables, cache), x);
    return h + mlp(normed);
  }

  LlamaAttention self_attn;
  LlamaMLP mlp;
  nn::RMSNorm input_layernorm, post_attention_layernorm;
};

void check_scaling(const RopeScaling& scaling) {
  constexpr const char* name = "Llama: rope_scaling";
  minima::detail::check_number(name, "factor", scaling.factor, {.low = 1, .has_low = true});
  minima::detail::check_number(name, "low_freq_factor", scaling.low_freq_factor, minima::detail::positive);
  minima::detail::check_number(name, "high_freq_factor", scaling.high_freq_factor, minima::detail::positive);
  if (!(scaling.low_freq_factor < scaling.high_freq_factor))
    throw ValueError(str(name, ": low_freq_factor must be below high_freq_factor, got ", scaling.low_freq_factor,
                         " and ", scaling.high_freq_factor));
  minima::detail::check_count(name, "original_positions", scaling.original_positions, 1);
}

const LlamaOptions& checked(const LlamaOptions& options) {
  detail::check_sizes("Llama", {{"vocabulary", options.vocabulary},
                                {"width", options.width},
                                {"mlp", options.mlp},
                                {"layers", options.layers},
                                {"heads", options.heads},
                                {"key_heads", options.key_heads}});
  minima::detail::check_number("Llama", "eps", options.eps, minima::detail::not_negative);
  minima::detail::check_number("Llama", "rope_theta", options.rope_theta, minima::detail::positive);
  check_scaling(options.rope_scaling);
  if (options.width % (2 * options.heads) != 0)
    throw ValueError(str("Llama: heads = ", options.heads, " must divide width = ", options.width, " into even parts"));
  if (options.heads % options.key_heads != 0)
    throw ValueError(str("Llama: key_heads = ", options.key_heads, " must divide heads = ", options.heads));
  return options;
}

/// A frequency as Llama 3.1 scales it: waves longer than the original texts turn more slowly by `factor`, short ones as
/// before, and those between by a mean of the two.
double scaled_frequency(double frequency, const RopeScaling& scaling) {
  const double waves = static_cast<double>(scaling.original_positions) * frequency / (2 * std::numbers::pi);
  if (waves > scaling.high_freq_factor) return frequency;
  if (waves < scaling.low_freq_factor) return frequency / scaling.factor;
  const double kept = (waves - scaling.low_freq_factor) / (scaling.high_freq_factor - scaling.low_freq_factor);
  return (1 - kept) * frequency / scaling.factor + kept * frequency;
}

Tensor rotary_frequencies(const LlamaOptions& options) {
  const std::int64_t head_width = options.width / options.heads;
  Tensor frequencies = empty({head_width / 2}, {.dtype = float64});
  for (std::int64_t i = 0; i < head_width / 2; ++i) {
    const double plain = std::pow(options.rope_theta, -2.0 * static_cast<double>(i) / static_cast<double>(head_width));
    frequencies.data<double>()[i] =
        options.rope_scaling.factor == 1 ? plain : scaled_frequency(plain, options.rope_scaling);
  }
  return frequencies;
}

void init_llama(nn::ModuleBase& net) {
  net.for_each([](nn::ModuleBase& module) {
    if (const auto* linear = module.as<nn::Linear>()) nn::init::normal_(linear->weight, 0, 0.02);
    else if (const auto* embedding = module.as<nn::Embedding>()) nn::init::normal_(embedding->weight, 0, 0.02);
  });
}

}  // namespace

LlamaDecoder::LlamaDecoder(const LlamaOptions& given)
    : options(checked(given)),
      embed_tokens(child("embed_tokens", nn::Embedding({.count = options.vocabulary, .dim = options.width}))),
      layers(child("layers", nn::ModuleList())),
      norm(child("norm", llama_norm(options))),
      frequencies_(rotary_frequencies(options)) {
  for (std::int64_t i = 0; i < options.layers; ++i) layers.push_back(LlamaLayer(options));
}

RotaryTables LlamaDecoder::tables(const Tensor& x, const Tensor& positions) const {
  Tensor angles = unsqueeze(positions.to(float64), -1) * frequencies_;
  if (angles.rank() == 3) angles = unsqueeze(angles, 1);  // [B, 1, T, E / 2], for all heads
  const DType dtype = x.dtype() == float64 ? float64 : float32;
  return {cos(angles).to(dtype).to(x.device()), sin(angles).to(dtype).to(x.device())};
}

Tensor LlamaDecoder::forward(const Tensor& tokens, KVCaches* caches) {
  detail::check_caches("Llama", caches, layers.size(), tokens.size(-1));
  if (tokens.rank() != 2) throw ShapeError(str("Llama: tokens must be [B, T], not ", tokens.shape()));
  Tensor x = embed_tokens(tokens);
  const RotaryTables rotary = tables(x, detail::positions_after(caches, x.size(1)));
  for (std::size_t i = 0; i < layers.size(); ++i)
    x = layers[static_cast<std::int64_t>(i)].as<LlamaLayer>()(x, rotary, detail::cache_of(caches, i));
  return norm(x);
}

Llama::Llama(const LlamaOptions& given)
    : options(given),
      model(child("model", LlamaDecoder(options))),
      lm_head(child("lm_head", projection(options.width, options.vocabulary))) {
  if (options.tied) lm_head.weight = model.embed_tokens.weight;
  init_llama(*this);
}

Tensor Llama::forward(const Tensor& tokens, KVCaches* caches) { return lm_head(model(tokens, caches)); }

KVCaches Llama::caches(std::int64_t capacity) const { return causal().caches(capacity, {}); }

CausalModel Llama::causal() const {
  return {.next =
              [net = *this](const Tensor& tokens, KVCaches& caches) mutable {
                return net.lm_head(select(net.model(tokens, caches.empty() ? nullptr : &caches), 1, -1));
              },
          .name = "Llama",
          .vocabulary = options.vocabulary,
          .layers = options.layers,
          .cache_width = 2 * options.key_heads * (options.width / options.heads),
          .dtype = lm_head.weight.dtype(),
          .device = lm_head.weight.device()};
}

Tensor Llama::generate(const Tensor& prompt, const GenerateOptions& generate_options) {
  return models::generate(causal(), prompt, generate_options);
}

nn::LoadReport Llama::load_pretrained(const State& state, nn::LoadOptions load_options) {
  State ours;
  for (const auto& [name, tensor] : state.tensors()) {
    if (name.ends_with("rotary_emb.inv_freq")) continue;
    const bool is_whole = name.starts_with("model.") || name.starts_with("lm_head.");
    ours.add(is_whole ? name : "model." + name, tensor);
  }
  const Tensor* embedding = ours.find("model.embed_tokens.weight");
  if (options.tied && embedding && !ours.find("lm_head.weight")) ours.add("lm_head.weight", Tensor(*embedding));
  return load_state_dict(ours, load_options);
}

State Llama::pretrained_state() const {
  const bool is_tied = lm_head.weight.is_same(model.embed_tokens.weight);
  State theirs;
  for (const auto& [name, tensor] : state_dict().tensors())
    if (!is_tied || name != "lm_head.weight") theirs.add(name, tensor);
  return theirs;
}

void Llama::save_pretrained(const std::string& path) const {
  const RopeScaling& scaling = options.rope_scaling;
  Json config = Json::object({{"architectures", Json::array({"LlamaForCausalLM"})},
                              {"model_type", "llama"},
                              {"vocab_size", options.vocabulary},
                              {"hidden_size", options.width},
                              {"intermediate_size", options.mlp},
                              {"num_hidden_layers", options.layers},
                              {"num_attention_heads", options.heads},
                              {"num_key_value_heads", options.key_heads},
                              {"hidden_act", "silu"},
                              {"rms_norm_eps", options.eps},
                              {"rope_theta", options.rope_theta},
                              {"rope_scaling", Json()},
                              {"bos_token_id", Json()},  // the tokenizer's; LlamaConfig's defaults are Llama 1's
                              {"eos_token_id", Json()},
                              {"tie_word_embeddings", lm_head.weight.is_same(model.embed_tokens.weight)}});
  if (scaling.factor != 1) {
    config.set("rope_scaling", Json::object({{"rope_type", "llama3"},
                                             {"factor", scaling.factor},
                                             {"low_freq_factor", scaling.low_freq_factor},
                                             {"high_freq_factor", scaling.high_freq_factor},
                                             {"original_max_position_embeddings", scaling.original_positions}}));
    config.set("max_position_embeddings", static_cast<std::int64_t>(scaling.factor * scaling.original_positions));
  }
  detail::save_pretrained(path, pretrained_state(), std::move(config));
}

}  // namespace minima::models
