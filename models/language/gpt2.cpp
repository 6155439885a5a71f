#include <minima/models/language/gpt2.h>

#include <minima/io/files/format_error.h>
#include <minima/io/state.h>
#include <minima/io/text/json.h>
#include <minima/models/check_size.h>
#include <minima/models/language/cached_attention.h>
#include <minima/models/language/generate.h>
#include <minima/models/language/generation.h>
#include <minima/models/language/pretrained.h>
#include <minima/nn/attention/kv_cache.h>
#include <minima/nn/init/init.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/load_report.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/layer_norm.h>
#include <minima/ops/dropout/dropout.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/split.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::models {

namespace {

struct GPT2Attention : nn::ModuleOf<GPT2Attention> {
  explicit GPT2Attention(const GPT2Options& options)
      : c_attn(child("c_attn", nn::Linear({.in = options.width, .out = 3 * options.width}))),
        c_proj(child("c_proj", nn::Linear({.in = options.width, .out = options.width}))),
        heads(options.heads),
        p(options.dropout) {}
  Tensor forward(const Tensor& x, nn::KVCache* cache) {
    const std::int64_t n = x.size(0), t = x.size(1), d = x.size(2);
    const Tensor packed = transpose(reshape(c_attn(x), {n, t, 3 * heads, d / heads}), 1, 2);
    const std::vector<Tensor> parts = split(packed, heads, 1);
    const Tensor y = detail::cached_attention(parts[0], parts[1], parts[2], cache, {.dropout = is_training() ? p : 0});
    return dropout(c_proj(reshape(transpose(y, 1, 2), {n, t, d})), p, is_training());
  }

  nn::Linear c_attn, c_proj;
  std::int64_t heads;
  double p;
};

struct GPT2MLP : nn::Module {
  explicit GPT2MLP(const GPT2Options& options)
      : c_fc(child("c_fc",
                   nn::Linear({.in = options.width, .out = 4 * options.width, .activation = Activation::gelu_tanh}))),
        c_proj(child("c_proj", nn::Linear({.in = 4 * options.width, .out = options.width}))),
        p(options.dropout) {}
  Tensor forward(const Tensor& x) override { return dropout(c_proj(c_fc(x)), p, is_training()); }

  nn::Linear c_fc, c_proj;
  double p;
};

/// x + attention(norm(x)), then x + mlp(norm(x)).
struct GPT2Block : nn::ModuleOf<GPT2Block> {
  explicit GPT2Block(const GPT2Options& options)
      : ln_1(child("ln_1", nn::LayerNorm({.shape = {options.width}}))),
        attn(child("attn", GPT2Attention(options))),
        ln_2(child("ln_2", nn::LayerNorm({.shape = {options.width}}))),
        mlp(child("mlp", GPT2MLP(options))) {}
  Tensor forward(const Tensor& x, nn::KVCache* cache) {
    const Tensor h = x + attn(ln_1(x), cache);
    return h + mlp(ln_2(h));
  }

  nn::LayerNorm ln_1;
  GPT2Attention attn;
  nn::LayerNorm ln_2;
  GPT2MLP mlp;
};

const GPT2Options& checked(const GPT2Options& options) {
  detail::check_sizes("GPT2", {{"vocabulary", options.vocabulary},
                               {"positions", options.positions},
                               {"width", options.width},
                               {"layers", options.layers},
                               {"heads", options.heads}});
  detail::check_dropout("GPT2", "dropout", options.dropout);
  if (options.width % options.heads != 0)
    throw ValueError(str("GPT2: heads = ", options.heads, " must divide width = ", options.width));
  return options;
}

/// Whether Hugging Face's layer is a Conv1D, whose weight is [in, out].
bool is_conv1d(const std::string& name) {
  return name.ends_with("c_attn.weight") || name.ends_with("c_proj.weight") || name.ends_with("c_fc.weight");
}

/// Throws if weights are [out, in], as minima saves them: the square ones among them would be transposed unnoticed.
void expect_conv1d(const State& state) {
  for (const auto& [name, tensor] : state.tensors()) {
    if (!is_conv1d(name) || tensor.rank() != 2) continue;
    const std::int64_t rows = tensor.size(0), columns = tensor.size(1);
    const bool is_turned = name.ends_with("c_attn.weight") ? rows == 3 * columns
                           : name.ends_with("c_fc.weight") ? rows == 4 * columns
                                                           : columns == 4 * rows;
    if (is_turned)
      throw ValueError(str("GPT2: load_pretrained expects Hugging Face's Conv1D weights [in, out], but ",
                           minima::detail::printable(name), " is ", tensor.shape(),
                           ", as minima saves it; load such a state by load_state_dict or nn::load"));
  }
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
      ln_f(child("ln_f", nn::LayerNorm({.shape = {options.width}}))) {
  for (std::int64_t i = 0; i < options.layers; ++i) h.push_back(GPT2Block(options));
  init_gpt2(*this);
}

Tensor GPT2Decoder::forward(const Tensor& tokens, KVCaches* caches) {
  detail::check_caches("GPT2", caches, h.size(), tokens.size(-1));
  const std::int64_t start = detail::length_of(caches), length = tokens.size(-1);
  if (tokens.rank() != 2 || start + length > options.positions)
    throw ShapeError(str("GPT2: tokens must be [B, T] with at most ", options.positions, " positions, not ",
                         tokens.shape(), " after ", start, " earlier ones"));
  const Tensor x = wte(tokens) + wpe(detail::positions_after(caches, length).to(tokens.device()));
  Tensor y = dropout(x, options.dropout, is_training());
  for (std::size_t i = 0; i < h.size(); ++i)
    y = h[static_cast<std::int64_t>(i)].as<GPT2Block>()(y, detail::cache_of(caches, i));
  return ln_f(y);
}

GPT2::GPT2(const GPT2Options& given)
    : options(given),
      transformer(child("transformer", GPT2Decoder(options))),
      lm_head(child("lm_head", nn::Linear({.in = options.width, .out = options.vocabulary, .bias = false}))) {
  lm_head.weight = transformer.wte.weight;
}

Tensor GPT2::forward(const Tensor& tokens, KVCaches* caches) { return lm_head(transformer(tokens, caches)); }

KVCaches GPT2::caches(std::int64_t capacity) const { return causal().caches(capacity, {}); }

CausalModel GPT2::causal() const {
  return {.next =
              [net = *this](const Tensor& tokens, KVCaches& caches) mutable {
                return net.lm_head(select(net.transformer(tokens, caches.empty() ? nullptr : &caches), 1, -1));
              },
          .name = "GPT2",
          .vocabulary = options.vocabulary,
          .positions = options.positions,
          .layers = options.layers,
          .cache_width = 2 * options.width,
          .dtype = lm_head.weight.dtype(),
          .device = lm_head.weight.device()};
}

Tensor GPT2::generate(const Tensor& prompt, const GenerateOptions& generate_options) {
  return models::generate(causal(), prompt, generate_options);
}

nn::LoadReport GPT2::load_pretrained(const State& state, nn::LoadOptions load_options) {
  expect_conv1d(state);
  State ours;
  for (const auto& [name, tensor] : state.tensors()) {
    if (name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias")) continue;
    const bool is_whole = name.starts_with("transformer.") || name.starts_with("lm_head.");
    const bool turn = is_conv1d(name) && tensor.rank() == 2;
    ours.add(is_whole ? name : "transformer." + name, turn ? transpose(tensor, 0, 1) : tensor);
  }
  if (const Tensor* embedding = ours.find("transformer.wte.weight"); embedding && !ours.find("lm_head.weight"))
    ours.add("lm_head.weight", Tensor(*embedding));
  return load_state_dict(ours, load_options);
}

State GPT2::pretrained_state() const {
  const bool is_tied = lm_head.weight.is_same(transformer.wte.weight);
  State theirs;
  for (const auto& [name, tensor] : state_dict().tensors())
    if (!is_tied || name != "lm_head.weight") theirs.add(name, is_conv1d(name) ? transpose(tensor, 0, 1) : tensor);
  return theirs;
}

void GPT2::save_pretrained(const std::string& path) const {
  const Json end_of_text = options.vocabulary == 50257 ? Json(50256) : Json();  // <|endoftext|> of its tokenizer
  detail::save_pretrained(path, pretrained_state(),
                          Json::object({{"architectures", Json::array({"GPT2LMHeadModel"})},
                                        {"model_type", "gpt2"},
                                        {"vocab_size", options.vocabulary},
                                        {"n_positions", options.positions},
                                        {"n_embd", options.width},
                                        {"n_layer", options.layers},
                                        {"n_head", options.heads},
                                        {"activation_function", "gelu_new"},
                                        {"layer_norm_epsilon", 1e-5},
                                        {"attn_pdrop", options.dropout},
                                        {"embd_pdrop", options.dropout},
                                        {"resid_pdrop", options.dropout},
                                        {"bos_token_id", end_of_text},
                                        {"eos_token_id", end_of_text},
                                        {"tie_word_embeddings", lm_head.weight.is_same(transformer.wte.weight)}}));
}

}  // namespace minima::models
