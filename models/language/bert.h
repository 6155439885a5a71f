#pragma once

#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/embedding.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/layer_norm.h>

#include <cstdint>
#include <string>

namespace minima::models {

/// Those of bert-base-uncased. bert-base-cased has vocabulary 28996; bert-large has width 1024, layers 24, heads 16 and
/// mlp 4096.
struct BERTOptions {
  std::int64_t vocabulary = 30522;
  std::int64_t positions = 512;  ///< the longest text
  std::int64_t types = 2;        ///< of segments
  std::int64_t width = 768;
  std::int64_t layers = 12;
  std::int64_t heads = 12;       ///< a divisor of width
  std::int64_t mlp = 3072;       ///< hidden features of the feed-forward layers
  double dropout = 0.1;          ///< also of the attention weights
  double eps = 1e-12;            ///< of the norms
  DType dtype = DType::float32;  ///< of the parameters
};

/// Holds the masks and segments of one call.
struct BERTCall {
  Tensor attention_mask = {};  ///< [B, T]: 0 hides padding; undefined hides nothing
  Tensor token_type_ids = {};  ///< [B, T] of int64: the segment of each token; undefined means 0
};

/// Holds the results of a call.
struct BERTResult {
  Tensor last_hidden_state;  ///< [B, T, width]
  Tensor pooler_output;      ///< [B, width]: tanh of a linear layer on the first position
};

/// The sum of the embeddings of tokens, positions and segments, and its norm: a BERT's child `embeddings`.
class MINIMA_API BERTEmbeddings : public nn::ModuleOf<BERTEmbeddings> {
 public:
  explicit BERTEmbeddings(const BERTOptions& options);
  Tensor forward(const Tensor& tokens, const Tensor& token_type_ids);

  nn::Embedding word_embeddings, position_embeddings, token_type_embeddings;
  nn::LayerNorm norm;  ///< named LayerNorm
  double dropout;
};

/// BERT (Devlin et al. 2019), Hugging Face's BertModel, with its names: tokens [B, T] of int64 → hidden states. Put a
/// linear layer on pooler_output to classify.
///   models::BERT net;
///   net.load_pretrained(read_safetensors("model.safetensors"));
///   net.eval();
///   auto [hidden, pooled] = net(tokens, models::BERTCall{.attention_mask = tokens != 0});
class MINIMA_API BERT : public nn::ModuleOf<BERT> {
 public:
  /// Throws ValueError for sizes below 1, or if heads does not divide width.
  explicit BERT(const BERTOptions& options = {});
  /// Throws ShapeError for more positions than there are.
  BERTResult forward(const Tensor& tokens, const BERTCall& call = {});
  /// Loads a state dict of Hugging Face's BertModel, or of a model that contains one as `bert`, without its heads. Old
  /// files call a norm's weight and bias gamma and beta.
  nn::LoadReport load_pretrained(const State& state, nn::LoadOptions load_options = {});
  /// Writes the state dict, which has BertModel's names, with the metadata that transformers' `from_pretrained` asks
  /// for. A path that ends in `.safetensors` gets the weights alone, for the folder of the model's config.json; any
  /// other is a folder, which gets `model.safetensors` and a config.json of the options:
  ///   net.save_pretrained("tuned");
  void save_pretrained(const std::string& path) const;

  BERTOptions options;
  BERTEmbeddings embeddings;
  nn::ModuleDict encoder;  ///< layer, a list
  nn::ModuleDict pooler;   ///< dense
};

}  // namespace minima::models
