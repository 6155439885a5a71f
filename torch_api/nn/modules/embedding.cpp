#include <torch/nn/modules/embedding.h>

#include <c10/util/Exception.h>
#include <torch/nn/functional/embedding.h>
#include <torch/nn/init.h>

#include <optional>
#include <utility>
#include <variant>

#include "layer_printer.h"

namespace F = torch::nn::functional;

namespace torch::nn {

namespace {

/// The options of `padding_idx`, counted from the start.
template <class Options>
void resolve_padding(Options& options) {
  const auto padding = options.padding_idx();
  if (!padding) return;
  const int64_t count = options.num_embeddings();
  TORCH_CHECK(-count <= *padding && *padding < count, "Padding_idx must be within num_embeddings");
  if (*padding < 0) options.padding_idx(count + *padding);
}

/// Whether a weight was given, which must have the table's shape.
template <class Options>
bool has_weight(const Options& options) {
  if (!options._weight().defined()) return false;
  TORCH_CHECK(options._weight().sizes() == IntArrayRef({options.num_embeddings(), options.embedding_dim()}),
              "Shape of weight does not match num_embeddings and embedding_dim");
  return true;
}

void reset_table(Tensor& weight, const std::optional<int64_t>& padding) {
  init::normal_(weight);
  if (!padding) return;
  NoGradGuard no_grad;
  weight[*padding].fill_(0);
}

/// A layer around a table [rows, columns], with the options that both kinds share.
template <class Holder, class Options, class Given>
Holder around(const Tensor& embeddings, Options options, const Given& given) {
  Holder layer(options._weight(embeddings)
                   .padding_idx(given.padding_idx())
                   .max_norm(given.max_norm())
                   .norm_type(given.norm_type())
                   .scale_grad_by_freq(given.scale_grad_by_freq())
                   .sparse(given.sparse()));
  layer->weight.set_requires_grad(!given.freeze());
  return layer;
}
void check_table(const Tensor& embeddings) {
  TORCH_CHECK(embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional");
}

}  // namespace

EmbeddingImpl::EmbeddingImpl(int64_t num_embeddings, int64_t embedding_dim)
    : EmbeddingImpl(EmbeddingOptions(num_embeddings, embedding_dim)) {}
EmbeddingImpl::EmbeddingImpl(EmbeddingOptions options_) : options(std::move(options_)) { EmbeddingImpl::reset(); }
void EmbeddingImpl::reset() {
  resolve_padding(options);
  const bool given = has_weight(options);
  weight = register_parameter(
      "weight", given ? options._weight() : torch::empty({options.num_embeddings(), options.embedding_dim()}));
  if (!given) reset_parameters();
}
void EmbeddingImpl::reset_parameters() { reset_table(weight, options.padding_idx()); }
void EmbeddingImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter print(stream, "Embedding");
  print("num_embeddings", options.num_embeddings())("embedding_dim", options.embedding_dim());
  if (options.padding_idx()) print("padding_idx", *options.padding_idx());
  if (options.max_norm()) print("max_norm", *options.max_norm());
  print.unless(2.0, "norm_type", options.norm_type())
      .unless(false, "scale_grad_by_freq", options.scale_grad_by_freq())
      .unless(false, "sparse", options.sparse());
}
Tensor EmbeddingImpl::forward(const Tensor& indices) {
  return F::embedding(indices, weight,
                      F::EmbeddingFuncOptions()
                          .padding_idx(options.padding_idx())
                          .max_norm(options.max_norm())
                          .norm_type(options.norm_type())
                          .scale_grad_by_freq(options.scale_grad_by_freq())
                          .sparse(options.sparse()));
}
Embedding Embedding::from_pretrained(const Tensor& embeddings, const EmbeddingFromPretrainedOptions& options) {
  check_table(embeddings);
  return around<Embedding>(embeddings, EmbeddingOptions(embeddings.size(0), embeddings.size(1)), options);
}

EmbeddingBagImpl::EmbeddingBagImpl(int64_t num_embeddings, int64_t embedding_dim)
    : EmbeddingBagImpl(EmbeddingBagOptions(num_embeddings, embedding_dim)) {}
EmbeddingBagImpl::EmbeddingBagImpl(EmbeddingBagOptions options_) : options(std::move(options_)) {
  EmbeddingBagImpl::reset();
}
void EmbeddingBagImpl::reset() {
  resolve_padding(options);
  const bool given = has_weight(options);
  weight = register_parameter(
      "weight", given ? options._weight() : torch::empty({options.num_embeddings(), options.embedding_dim()}));
  if (!given) reset_parameters();
}
void EmbeddingBagImpl::reset_parameters() { reset_table(weight, options.padding_idx()); }
void EmbeddingBagImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter print(stream, "EmbeddingBag");
  print("num_embeddings", options.num_embeddings())("embedding_dim", options.embedding_dim());
  if (options.max_norm()) print("max_norm", *options.max_norm());
  print.unless(2.0, "norm_type", options.norm_type())
      .unless(false, "scale_grad_by_freq", options.scale_grad_by_freq())
      .unless(false, "sparse", options.sparse());
  if (!std::holds_alternative<enumtype::kMean>(options.mode())) print("mode", enumtype::get_enum_name(options.mode()));
  print.unless(false, "include_last_offset", options.include_last_offset());
  if (options.padding_idx()) print("padding_idx", *options.padding_idx());
}
Tensor EmbeddingBagImpl::forward(const Tensor& input, const Tensor& offsets, const Tensor& per_sample_weights) {
  return F::embedding_bag(input, weight,
                          F::EmbeddingBagFuncOptions()
                              .offsets(offsets)
                              .max_norm(options.max_norm())
                              .norm_type(options.norm_type())
                              .scale_grad_by_freq(options.scale_grad_by_freq())
                              .mode(options.mode())
                              .sparse(options.sparse())
                              .per_sample_weights(per_sample_weights)
                              .include_last_offset(options.include_last_offset())
                              .padding_idx(options.padding_idx()));
}
EmbeddingBag EmbeddingBag::from_pretrained(const Tensor& embeddings, const EmbeddingBagFromPretrainedOptions& options) {
  check_table(embeddings);
  return around<EmbeddingBag>(embeddings,
                              EmbeddingBagOptions(embeddings.size(0), embeddings.size(1))
                                  .mode(options.mode())
                                  .include_last_offset(options.include_last_offset()),
                              options);
}

}  // namespace torch::nn
