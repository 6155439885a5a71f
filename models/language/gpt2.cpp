#include <minima/models/language/gpt2.h>

#include <minima/models/check_size.h>
#include <minima/models/language/blocks.h>
#include <minima/models/language/cached_attention.h>
#include <minima/models/language/generate.h>
#include <minima/nn/attention/kv_cache.h>
#include <minima/nn/init/init.h>
#include <minima/nn/layers/embedding.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/module.h>
#include <minima/nn/module/plain_call.h>
#include <minima/nn/norm/layer_norm.h>
#include <minima/ops/attention/segments.h>
#include <minima/ops/dropout/dropout.h>
#include <minima/ops/norm/layer_norm.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/ops/product/linear.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/split.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::models {

namespace {

std::int64_t mlp_of(const GPT2Options& options) { return options.mlp == 0 ? 4 * options.width : options.mlp; }

/// In autocast regions norms give the dtype of the product that follows.
nn::LayerNorm gpt2_norm(const GPT2Options& options) {
  return nn::LayerNorm({.shape = {options.width}, .eps = options.eps, .lower = true});
}

/// A block gets this besides its input.
struct GPT2Call {
  nn::KVCache* cache = nullptr;
  Tensor segments = {};
};

struct GPT2Attention : nn::ModuleOf<GPT2Attention> {
  explicit GPT2Attention(const GPT2Options& options)
      : c_attn(child("c_attn", nn::Linear({.in = options.width, .out = 3 * options.width}))),
        c_proj(child("c_proj", nn::Linear({.in = options.width, .out = options.width}))),
        heads(options.heads),
        p(options.dropout) {}
  Tensor forward(const Tensor& x, const GPT2Call& call) {
    const std::int64_t n = x.size(0), t = x.size(1), d = x.size(2);
    const Tensor packed = transpose(reshape(c_attn(x), {n, t, 3 * heads, d / heads}), 1, 2);
    const std::vector<Tensor> parts = split(packed, heads, 1);
    const Tensor y = detail::cached_attention(parts[0], parts[1], parts[2], call.cache,
                                              {.segments = call.segments, .dropout = is_training() ? p : 0});
    return dropout(c_proj(reshape(transpose(y, 1, 2), {n, t, d})), p, is_training());
  }

  nn::Linear c_attn, c_proj;
  std::int64_t heads;
  double p;
};

struct GPT2MLP : nn::Module {
  explicit GPT2MLP(const GPT2Options& options)
      : c_fc(child("c_fc", nn::Linear({.in = options.width, .out = mlp_of(options)}))),
        c_proj(child("c_proj", nn::Linear({.in = mlp_of(options), .out = options.width}))),
        p(options.dropout) {}
  Tensor forward(const Tensor& x) override { return dropout(product(x), p, is_training()); }

  nn::Linear c_fc, c_proj;
  double p;

 private:
  /// One operator for both layers, if nothing asks for a call of them.
  Tensor product(const Tensor& x) {
    if (nn::is_called_plainly(c_fc) && nn::is_called_plainly(c_proj))
      return feed_forward(x, c_fc.weight, c_fc.bias, c_proj.weight, c_proj.bias, Activation::gelu_tanh);
    return c_proj(gelu_tanh(c_fc(x)));
  }
};

/// x + attention(norm(x)), then x + mlp(norm(x)).
struct GPT2Block : detail::Block {
  explicit GPT2Block(const GPT2Options& options)
      : ln_1(child("ln_1", gpt2_norm(options))),
        attn(child("attn", GPT2Attention(options))),
        ln_2(child("ln_2", gpt2_norm(options))),
        mlp(child("mlp", GPT2MLP(options))) {}

  const nn::LayerNorm& first_norm() const { return ln_1; }
  detail::SumAndBranch parts(const Tensor& x, const Tensor& normalized, const GPT2Call& call) {
    const SumAndNorm h = detail::add_and_norm(ln_2, attn(normalized, call), x);
    return {h.sum, mlp(h.normalized)};
  }
  Tensor forward(const Tensor& x) override { return whole(x, {}); }
  Tensor run(const Tensor& x, const GPT2Call& call) {
    if (!call.cache && !call.segments.defined()) return (*this)(x);
    if (!has_forward_hooks()) return whole(x, call);
    const auto forward = [one = *this, call](const Tensor& given) mutable { return one.whole(given, call); };
    return with_hooks(x, forward, call.cache != nullptr);
  }

  nn::LayerNorm ln_1;
  GPT2Attention attn;
  nn::LayerNorm ln_2;
  GPT2MLP mlp;

 private:
  Tensor whole(const Tensor& x, const GPT2Call& call) {
    const auto [sum, branch] = parts(x, ln_1(x), call);
    return sum + branch;
  }
};

const GPT2Options& checked(const GPT2Options& options) {
  detail::check_sizes("GPT2", {{"vocabulary", options.vocabulary},
                               {"positions", options.positions},
                               {"width", options.width},
                               {"layers", options.layers},
                               {"heads", options.heads},
                               {"mlp", options.mlp == 0 ? options.width : options.mlp}});
  detail::check_dropout("GPT2", "dropout", options.dropout);
  minima::detail::check_number("GPT2", "eps", options.eps, minima::detail::not_negative);
  minima::detail::check_number("GPT2", "logit_soft_cap", options.logit_soft_cap, minima::detail::not_negative);
  if (options.width % options.heads != 0)
    throw ValueError(str("GPT2: heads = ", options.heads, " must divide width = ", options.width));
  return options;
}

/// The rows of wpe for the tokens. A whole text begins with the first row, so it needs no look-up.
Tensor embedded_positions(const nn::Embedding& wpe, const Tensor& tokens, const KVCaches* caches,
                          const Tensor& segments) {
  const std::int64_t length = tokens.size(-1);
  if (!caches && !segments.defined() && nn::is_called_plainly(wpe)) return narrow(wpe.weight, 0, 0, length);
  const Tensor positions = segments.defined() ? segment_positions(segments) : detail::positions_after(caches, length);
  return wpe(positions.to(tokens.device()));
}

/// Normal weights and zero biases; those that end a branch are smaller by the square root of the number of branches.
void init_gpt2(GPT2Decoder& decoder) {
  nn::init::normal_(decoder.wte.weight, 0, 0.02);
  nn::init::normal_(decoder.wpe.weight, 0, 0.02);
  for (const nn::AnyModule& any : decoder.h) {
    GPT2Block& block = any.as<GPT2Block>();
    const double branches = 2.0 * static_cast<double>(decoder.h.size());
    for (const nn::Linear* layer : {&block.attn.c_attn, &block.attn.c_proj, &block.mlp.c_fc, &block.mlp.c_proj}) {
      const bool ends_branch = layer == &block.attn.c_proj || layer == &block.mlp.c_proj;
      nn::init::normal_(layer->weight, 0, ends_branch ? 0.02 / std::sqrt(branches) : 0.02);
      nn::init::zeros_(layer->bias);
    }
  }
}

}  // namespace

GPT2Decoder::GPT2Decoder(const GPT2Options& given)
    : options(checked(given)),
      wte(child("wte", nn::Embedding({.count = options.vocabulary, .dim = options.width}))),
      wpe(child("wpe", nn::Embedding({.count = options.positions, .dim = options.width}))),
      h(child("h", nn::ModuleList())),
      ln_f(child("ln_f", gpt2_norm(options))) {
  for (std::int64_t i = 0; i < options.layers; ++i) {
    h.push_back(GPT2Block(options));
    if (options.dtype != DType::float32) h[i]->to(options.dtype);  // one block at a time is in memory twice
  }
  if (options.dtype != DType::float32) to(options.dtype);
  init_gpt2(*this);
}

Tensor GPT2Decoder::forward(const Tensor& tokens, KVCaches* caches, const Tensor& segments) {
  detail::check_caches("GPT2", caches, h.size(), tokens.size(-1));
  const std::int64_t start = detail::length_of(caches), length = tokens.size(-1);
  if (tokens.rank() != 2 || start + length > options.positions)
    throw ShapeError(str("GPT2: tokens must be [B, T] with at most ", options.positions, " positions, not ",
                         tokens.shape(), " after ", start, " earlier ones"));
  detail::check_segments("GPT2", tokens, segments, caches);
  const Tensor x = wte(tokens) + embedded_positions(wpe, tokens, caches, segments);
  const auto call_of = [&](std::int64_t i) {
    return GPT2Call{.cache = detail::cache_of(caches, static_cast<std::size_t>(i)), .segments = segments};
  };
  return detail::run_blocks<GPT2Block>(h, ln_f, dropout(x, options.dropout, is_training()), options.calls, call_of);
}

GPT2::GPT2(const GPT2Options& given)
    : options(given),
      transformer(child("transformer", GPT2Decoder(options))),
      lm_head(child("lm_head", nn::Linear({.in = options.width, .out = options.vocabulary, .bias = false}))) {
  if (options.tied) {
    lm_head.weight = transformer.wte.weight;
  } else {
    lm_head.to(options.dtype);
    nn::init::normal_(lm_head.weight, 0, 0.02);
  }
}

Tensor GPT2::hidden(const Tensor& tokens, KVCaches* caches, const Tensor& segments) {
  return transformer(tokens, caches, segments);
}

CausalModel GPT2::causal() const {
  return {.next = [net = *this](const Tensor& tokens, KVCaches& caches) mutable { return net.next(tokens, caches); },
          .name = "GPT2",
          .vocabulary = options.vocabulary,
          .positions = options.positions,
          .layers = options.layers,
          .cache_width = 2 * options.width,
          .dtype = lm_head.weight.dtype(),
          .device = lm_head.weight.device()};
}

}  // namespace minima::models
