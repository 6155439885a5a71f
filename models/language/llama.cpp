#include <minima/models/language/llama.h>

#include <minima/models/check_size.h>
#include <minima/models/language/blocks.h>
#include <minima/models/language/cached_attention.h>
#include <minima/models/language/generate.h>
#include <minima/models/language/rotary.h>
#include <minima/nn/attention/kv_cache.h>
#include <minima/nn/containers/list.h>
#include <minima/nn/init/init.h>
#include <minima/nn/layers/embedding.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/module.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/norm/rms_norm.h>
#include <minima/ops/attention/rotary_embedding.h>
#include <minima/ops/attention/segments.h>
#include <minima/ops/norm/layer_norm.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace minima::models {

namespace {

nn::Linear projection(std::int64_t in, std::int64_t out, bool bias) {
  return nn::Linear({.in = in, .out = out, .bias = bias});
}

nn::RMSNorm llama_norm(const LlamaOptions& options) {
  return nn::RMSNorm({.shape = {options.width}, .eps = options.eps});
}

/// A norm over each head's features, if there is one.
nn::OptionalOf<nn::RMSNorm> head_norm(const LlamaOptions& options) {
  nn::OptionalOf<nn::RMSNorm> norm;
  if (options.qk_norm) norm.emplace(nn::RMSNormOptions{.shape = {options.head_size()}, .eps = options.eps});
  return norm;
}

/// A layer gets this besides the residual stream.
struct LayerCall {
  RotaryTables tables;
  nn::KVCache* cache = nullptr;
  Tensor segments = {};
};

struct LlamaAttention : nn::ModuleOf<LlamaAttention> {
  LlamaAttention(const LlamaOptions& options, std::int64_t layer)
      : heads(options.heads),
        key_heads(options.key_heads),
        head_width(options.head_size()),
        window(layer < options.window_from ? 0 : options.window),
        q_proj(child("q_proj", projection(options.width, heads * head_width, options.qkv_bias))),
        k_proj(child("k_proj", projection(options.width, key_heads * head_width, options.qkv_bias))),
        v_proj(child("v_proj", projection(options.width, key_heads * head_width, options.qkv_bias))),
        o_proj(child("o_proj", projection(heads * head_width, options.width, options.out_bias))),
        q_norm(child("q_norm", head_norm(options))),
        k_norm(child("k_norm", head_norm(options))) {}
  Tensor forward(const Tensor& x, const LayerCall& call) {
    const std::int64_t n = x.size(0), t = x.size(1);
    const auto split_heads = [&](const Tensor& y, std::int64_t count) { return reshape(y, {n, t, count, head_width}); };
    const auto turned = [&](const Tensor& y, const nn::OptionalOf<nn::RMSNorm>& norm) {
      return rotary_embedding(transpose(norm ? (*norm)(y) : y, 1, 2), call.tables.cos, call.tables.sin);
    };
    // One product with the three weights side by side is no faster. It would save adding up three gradients of x, but
    // the gradients of q, k and v would have to be copied together for it.
    const Tensor q = turned(split_heads(q_proj(x), heads), q_norm);
    const Tensor k = turned(split_heads(k_proj(x), key_heads), k_norm);
    const Tensor v = transpose(split_heads(v_proj(x), key_heads), 1, 2);
    const Tensor y =
        detail::cached_attention(q, k, v, call.cache, {.window = window, .segments = call.segments, .grouped = true});
    return o_proj(reshape(transpose(y, 1, 2), {n, t, heads * head_width}));
  }

  std::int64_t heads, key_heads, head_width, window;
  nn::Linear q_proj, k_proj, v_proj, o_proj;
  nn::OptionalOf<nn::RMSNorm> q_norm, k_norm;
};

struct LlamaMLP : nn::Module {
  explicit LlamaMLP(const LlamaOptions& options)
      : gate_proj(child("gate_proj", projection(options.width, options.mlp, options.mlp_bias))),
        up_proj(child("up_proj", projection(options.width, options.mlp, options.mlp_bias))),
        down_proj(child("down_proj", projection(options.mlp, options.width, options.mlp_bias))) {}
  Tensor forward(const Tensor& x) override { return down_proj(swiglu(gate_proj(x), up_proj(x))); }

  nn::Linear gate_proj, up_proj, down_proj;
};

/// x + attention(norm(x)), then x + mlp(norm(x)).
struct LlamaLayer : detail::Block {
  LlamaLayer(const LlamaOptions& options, std::int64_t layer, std::shared_ptr<detail::Rotary> shared)
      : self_attn(child("self_attn", LlamaAttention(options, layer))),
        mlp(child("mlp", LlamaMLP(options))),
        input_layernorm(child("input_layernorm", llama_norm(options))),
        post_attention_layernorm(child("post_attention_layernorm", llama_norm(options))),
        rotary(std::move(shared)) {}

  const nn::RMSNorm& first_norm() const { return input_layernorm; }
  detail::SumAndBranch parts(const Tensor& x, const Tensor& normalized, const LayerCall& call) {
    const SumAndNorm h = detail::add_and_norm(post_attention_layernorm, self_attn(normalized, call), x);
    return {h.sum, mlp(h.normalized)};
  }
  Tensor forward(const Tensor& x) override { return whole(x, {.tables = rotary->tables(x, 0, x.size(1))}); }
  Tensor run(const Tensor& x, const LayerCall& call) {
    if (!call.cache && !call.segments.defined()) return (*this)(x);
    if (!has_forward_hooks()) return whole(x, call);
    const auto forward = [one = *this, call](const Tensor& given) mutable { return one.whole(given, call); };
    return with_hooks(x, forward, call.cache != nullptr);
  }

  LlamaAttention self_attn;
  LlamaMLP mlp;
  nn::RMSNorm input_layernorm, post_attention_layernorm;
  std::shared_ptr<detail::Rotary> rotary;

 private:
  Tensor whole(const Tensor& x, const LayerCall& call) {
    const auto [sum, branch] = parts(x, input_layernorm(x), call);
    return sum + branch;
  }
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
  minima::detail::check_number("Llama", "logit_soft_cap", options.logit_soft_cap, minima::detail::not_negative);
  minima::detail::check_count("Llama", "positions", options.positions, 0);
  minima::detail::check_count("Llama", "window", options.window, 0);
  minima::detail::check_count("Llama", "window_from", options.window_from, 0);
  check_scaling(options.rope_scaling);
  if (options.head_dim == 0 && options.width % (2 * options.heads) != 0)
    throw ValueError(str("Llama: heads = ", options.heads, " must divide width = ", options.width,
                         " into even parts, or head_dim be given"));
  if (options.head_dim != 0) {
    detail::check_sizes("Llama", {{"head_dim", options.head_dim}});
    if (options.head_dim % 2 != 0) throw ValueError(str("Llama: head_dim must be even, not ", options.head_dim));
  }
  if (options.heads % options.key_heads != 0)
    throw ValueError(str("Llama: key_heads = ", options.key_heads, " must divide heads = ", options.heads));
  return options;
}

void init_llama(nn::ModuleBase& net) {
  net.for_each([](nn::ModuleBase& module) {
    if (const auto* linear = module.as<nn::Linear>()) {
      nn::init::normal_(linear->weight, 0, 0.02);
      if (linear->bias.defined()) nn::init::zeros_(linear->bias);
    } else if (const auto* embedding = module.as<nn::Embedding>()) {
      nn::init::normal_(embedding->weight, 0, 0.02);
    }
  });
}

}  // namespace

LlamaDecoder::LlamaDecoder(const LlamaOptions& given)
    : options(checked(given)),
      embed_tokens(child("embed_tokens", nn::Embedding({.count = options.vocabulary, .dim = options.width}))),
      layers(child("layers", nn::ModuleList())),
      norm(child("norm", llama_norm(options))),
      rotary_(std::make_shared<detail::Rotary>(options)) {
  for (std::int64_t i = 0; i < options.layers; ++i) {
    layers.push_back(LlamaLayer(options, i, rotary_));
    if (options.dtype != DType::float32) layers[i]->to(options.dtype);  // one layer at a time is in memory twice
  }
  if (options.dtype != DType::float32) to(options.dtype);
}

Tensor LlamaDecoder::forward(const Tensor& tokens, KVCaches* caches, const Tensor& segments) {
  detail::check_caches("Llama", caches, layers.size(), tokens.size(-1));
  const std::int64_t start = detail::length_of(caches), length = tokens.rank() == 2 ? tokens.size(1) : 0;
  if (tokens.rank() != 2) throw ShapeError(str("Llama: tokens must be [B, T], not ", tokens.shape()));
  if (options.positions > 0 && start + length > options.positions)
    throw ShapeError(str("Llama: tokens must be [B, T] with at most ", options.positions, " positions, not ",
                         tokens.shape(), " after ", start, " earlier ones"));
  const Tensor x = embed_tokens(tokens);
  detail::check_segments("Llama", tokens, segments, caches);
  const auto tables_of = [&] {
    if (segments.defined()) return rotary_->tables(x, segment_positions(segments));
    if (caches && caches->front().hides()) return rotary_->tables(x, detail::positions_after(caches, length));
    return rotary_->tables(x, start, length);
  };
  const RotaryTables tables = tables_of();
  const auto call_of = [&](std::int64_t i) {
    return LayerCall{
        .tables = tables, .cache = detail::cache_of(caches, static_cast<std::size_t>(i)), .segments = segments};
  };
  return detail::run_blocks<LlamaLayer>(layers, norm, x, options.calls, call_of);
}

Llama::Llama(const LlamaOptions& given)
    : options(given),
      model(child("model", LlamaDecoder(options))),
      lm_head(child("lm_head", projection(options.width, options.vocabulary, false))) {
  if (options.tied) lm_head.weight = model.embed_tokens.weight;
  else if (options.dtype != DType::float32) lm_head.to(options.dtype);
  init_llama(*this);
}

Tensor Llama::hidden(const Tensor& tokens, KVCaches* caches, const Tensor& segments) {
  return model(tokens, caches, segments);
}

CausalModel Llama::causal() const {
  return {.next = [net = *this](const Tensor& tokens, KVCaches& caches) mutable { return net.next(tokens, caches); },
          .name = "Llama",
          .vocabulary = options.vocabulary,
          .positions = options.positions,
          .layers = options.layers,
          .cache_width = 2 * options.key_heads * options.head_size(),
          .dtype = lm_head.weight.dtype(),
          .device = lm_head.weight.device()};
}

}  // namespace minima::models
