#include <minima/models/language/bert.h>

#include <minima/io/state.h>
#include <minima/io/text/json.h>
#include <minima/models/check_size.h>
#include <minima/models/language/config.h>
#include <minima/models/language/pretrained.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/init/init.h>
#include <minima/nn/layers/embedding.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/load_report.h>
#include <minima/nn/module/module.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/norm/layer_norm.h>
#include <minima/ops/attention/attention.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/dropout/dropout.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <string>

namespace minima::models {

namespace {

nn::LayerNorm bert_norm(const BERTOptions& options) {
  return nn::LayerNorm({.shape = {options.width}, .eps = options.eps});
}

struct BERTSelfAttention : nn::ModuleOf<BERTSelfAttention> {
  explicit BERTSelfAttention(const BERTOptions& options)
      : query(child("query", nn::Linear({.in = options.width, .out = options.width}))),
        key(child("key", nn::Linear({.in = options.width, .out = options.width}))),
        value(child("value", nn::Linear({.in = options.width, .out = options.width}))),
        heads(options.heads),
        p(options.dropout) {}
  /// `seen` is a mask that broadcasts to [B, heads, T, T], or undefined.
  Tensor forward(const Tensor& x, const Tensor& seen) {
    const std::int64_t n = x.size(0), t = x.size(1), d = x.size(2);
    const auto split_heads = [&](const Tensor& y) { return transpose(reshape(y, {n, t, heads, d / heads}), 1, 2); };
    const Tensor y = scaled_dot_product_attention(split_heads(query(x)), split_heads(key(x)), split_heads(value(x)),
                                                  {.mask = seen, .dropout = is_training() ? p : 0});
    return reshape(transpose(y, 1, 2), {n, t, d});
  }

  nn::Linear query, key, value;
  std::int64_t heads;
  double p;
};

/// The norm of a linear layer's dropped-out result and the residual stream.
struct BERTOutput : nn::ModuleOf<BERTOutput> {
  BERTOutput(const BERTOptions& options, std::int64_t in)
      : dense(child("dense", nn::Linear({.in = in, .out = options.width}))),
        norm(child("LayerNorm", bert_norm(options))),
        p(options.dropout) {}
  Tensor forward(const Tensor& x, const Tensor& residual) {
    return norm(dropout(dense(x), p, is_training()) + residual);
  }

  nn::Linear dense;
  nn::LayerNorm norm;
  double p;
};

struct BERTAttention : nn::ModuleOf<BERTAttention> {
  explicit BERTAttention(const BERTOptions& options)
      : self(child("self", BERTSelfAttention(options))), output(child("output", BERTOutput(options, options.width))) {}
  Tensor forward(const Tensor& x, const Tensor& seen) { return output(self(x, seen), x); }

  BERTSelfAttention self;
  BERTOutput output;
};

struct BERTLayer : nn::ModuleOf<BERTLayer> {
  explicit BERTLayer(const BERTOptions& options)
      : attention(child("attention", BERTAttention(options))),
        intermediate(child(
            "intermediate",
            nn::ModuleDict(
                {{"dense", nn::Linear({.in = options.width, .out = options.mlp, .activation = Activation::gelu})}}))),
        output(child("output", BERTOutput(options, options.mlp))) {}
  Tensor forward(const Tensor& x, const Tensor& seen) {
    const Tensor h = attention(x, seen);
    return output(intermediate["dense"](h), h);
  }

  BERTAttention attention;
  nn::ModuleDict intermediate;
  BERTOutput output;
};

const BERTOptions& checked(const BERTOptions& options) {
  detail::check_sizes("BERT", {{"vocabulary", options.vocabulary},
                               {"positions", options.positions},
                               {"types", options.types},
                               {"width", options.width},
                               {"layers", options.layers},
                               {"heads", options.heads},
                               {"mlp", options.mlp}});
  detail::check_dropout("BERT", "dropout", options.dropout);
  minima::detail::check_number("BERT", "eps", options.eps, minima::detail::not_negative);
  if (options.width % options.heads != 0)
    throw ValueError(str("BERT: heads = ", options.heads, " must divide width = ", options.width));
  return options;
}

nn::ModuleDict bert_layers(const BERTOptions& options) {
  nn::ModuleList layers;
  for (std::int64_t i = 0; i < options.layers; ++i) {
    layers.push_back(BERTLayer(options));
    if (options.dtype != DType::float32) layers[i]->to(options.dtype);  // one layer at a time is in memory twice
  }
  return nn::ModuleDict({{"layer", layers}});
}

void init_bert(nn::ModuleBase& net) {
  net.for_each([](nn::ModuleBase& module) {
    if (const auto* linear = module.as<nn::Linear>()) {
      nn::init::normal_(linear->weight, 0, 0.02);
      nn::init::zeros_(linear->bias);
    } else if (const auto* embedding = module.as<nn::Embedding>()) {
      nn::init::normal_(embedding->weight, 0, 0.02);
    }
  });
}

/// HF's name of a tensor without the prefix of a model with heads, and with today's names of a norm's parameters.
std::string modern_name(std::string name) {
  if (name.starts_with("bert.")) name = name.substr(5);
  const auto replace_end = [&](const std::string& end, const std::string& by) {
    if (name.ends_with(end)) name = name.substr(0, name.size() - end.size()) + by;
  };
  replace_end("LayerNorm.gamma", "LayerNorm.weight");
  replace_end("LayerNorm.beta", "LayerNorm.bias");
  return name;
}

}  // namespace

BERTEmbeddings::BERTEmbeddings(const BERTOptions& options)
    : word_embeddings(
          child("word_embeddings", nn::Embedding({.count = options.vocabulary, .dim = options.width, .padding = 0}))),
      position_embeddings(
          child("position_embeddings", nn::Embedding({.count = options.positions, .dim = options.width}))),
      token_type_embeddings(
          child("token_type_embeddings", nn::Embedding({.count = options.types, .dim = options.width}))),
      norm(child("LayerNorm", bert_norm(options))),
      dropout(options.dropout) {}

Tensor BERTEmbeddings::forward(const Tensor& tokens, const Tensor& token_type_ids) {
  const Tensor positions = position_embeddings(arange(tokens.size(1)).to(tokens.device()));
  const Tensor types = token_type_ids.defined() ? token_type_ids : zeros_like(tokens);
  return minima::dropout(norm(word_embeddings(tokens) + token_type_embeddings(types) + positions), dropout,
                         is_training());
}

BERT::BERT(const BERTOptions& given)
    : options(checked(given)),
      embeddings(child("embeddings", BERTEmbeddings(options))),
      encoder(child("encoder", bert_layers(options))),
      pooler(child("pooler", nn::ModuleDict({{"dense", nn::Linear({.in = options.width, .out = options.width})}}))) {
  if (options.dtype != DType::float32) to(options.dtype);
  init_bert(*this);
}

BERTResult BERT::forward(const Tensor& tokens, const BERTCall& call) {
  if (tokens.rank() != 2 || tokens.size(1) > options.positions)
    throw ShapeError(
        str("BERT: tokens must be [B, T] with at most ", options.positions, " positions, not ", tokens.shape()));
  Tensor seen;
  if (call.attention_mask.defined()) seen = reshape(call.attention_mask != 0, {tokens.size(0), 1, 1, tokens.size(1)});
  Tensor h = embeddings(tokens, call.token_type_ids);
  for (const nn::AnyModule& layer : encoder.at<nn::ModuleList>("layer")) h = layer.as<BERTLayer>()(h, seen);
  return {h, tanh(pooler["dense"](select(h, 1, 0)))};
}

nn::LoadReport BERT::load_pretrained(const State& state, nn::LoadOptions load_options) {
  State ours;
  for (const auto& [full_name, tensor] : state.tensors()) {
    const std::string name = modern_name(full_name);
    const bool is_part = name.starts_with("embeddings.") || name.starts_with("encoder.") || name.starts_with("pooler.");
    if (is_part && !name.ends_with("position_ids")) ours.add(name, tensor);
  }
  return detail::load_weights(*this, ours, load_options);
}

void BERT::save_pretrained(const std::string& path) const {
  detail::save_pretrained(path, detail::base_state(*this),
                          Json::object({{"architectures", Json::array({"BertModel"})},
                                        {"model_type", "bert"},
                                        {"vocab_size", options.vocabulary},
                                        {"max_position_embeddings", options.positions},
                                        {"type_vocab_size", options.types},
                                        {"hidden_size", options.width},
                                        {"num_hidden_layers", options.layers},
                                        {"num_attention_heads", options.heads},
                                        {"intermediate_size", options.mlp},
                                        {"hidden_act", "gelu"},
                                        {"layer_norm_eps", options.eps},
                                        {"hidden_dropout_prob", options.dropout},
                                        {"attention_probs_dropout_prob", options.dropout},
                                        {"pad_token_id", 0}}));
}

BERTOptions detail::bert_options(ConfigReader& config) {
  BERTOptions options{.vocabulary = config.integer("vocab_size"),
                      .positions = config.integer("max_position_embeddings"),
                      .types = config.integer("type_vocab_size", 2),
                      .width = config.integer("hidden_size"),
                      .layers = config.integer("num_hidden_layers"),
                      .heads = config.integer("num_attention_heads"),
                      .mlp = config.integer("intermediate_size"),
                      .dropout = config.number("hidden_dropout_prob", 0.1),
                      .eps = config.number("layer_norm_eps", 1e-12)};
  if (config.number("attention_probs_dropout_prob", 0.1) != options.dropout)
    config.refuse("attention_probs_dropout_prob",
                  str("but hidden_dropout_prob ", options.dropout, "; minima's BERT has one dropout"));
  config.expect("hidden_act", {"gelu"});
  config.expect("position_embedding_type", {"absolute"});
  config.expect("is_decoder", {false});
  config.expect("add_cross_attention", {false});
  config.ignore({"tie_word_embeddings", "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
                 "pooler_size_per_head", "pooler_type"});  // of heads, and of Google's other programs
  return options;
}

}  // namespace minima::models
