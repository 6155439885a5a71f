#include <torch/nn/modules/transformer.h>

#include <c10/util/Exception.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/transformercoder.h>

#include <limits>
#include <utility>

namespace torch::nn {

namespace {

/// Registers `count` copies of the layer as "layers", and one of the norm, if there is one, as "norm".
template <class Coder, class Layer>
void reset_coder(Coder& coder, const Layer& layer, int64_t count) {
  coder.layers = coder.register_module("layers", ModuleList());
  for (int64_t i = 0; i < count; ++i) coder.layers->push_back(layer->clone());
  if (coder.options.norm().is_empty()) return;
  coder.norm = coder.options.norm().clone();
  coder.register_module("norm", coder.norm.ptr());
}

template <class LayerImpl, class Coder>
void reset_coder_parameters(Coder& coder) {
  for (size_t i = 0; i < coder.layers->size(); ++i) coder.layers->template at<LayerImpl>(i).reset_parameters();
  if (!coder.norm.is_empty()) coder.unregister_module("norm");
  coder.norm = coder.options.norm().is_empty() ? AnyModule() : coder.options.norm().clone();
  if (!coder.norm.is_empty()) coder.register_module("norm", coder.norm.ptr());
}

/// x through the layers, which `call` calls, and the norm.
template <class LayerImpl, class Coder, class Call>
Tensor run_coder(Coder& coder, Tensor x, const Call& call) {
  for (size_t i = 0; i < coder.layers->size(); ++i) x = call(coder.layers->template at<LayerImpl>(i), x);
  return coder.norm.is_empty() ? x : coder.norm.template forward<Tensor>(x);
}

}  // namespace

TransformerEncoderImpl::TransformerEncoderImpl(TransformerEncoderLayer encoder_layer, int64_t num_layers)
    : TransformerEncoderImpl(TransformerEncoderOptions(std::move(encoder_layer), num_layers)) {}
TransformerEncoderImpl::TransformerEncoderImpl(TransformerEncoderOptions options_) : options(std::move(options_)) {
  TransformerEncoderImpl::reset();
}
void TransformerEncoderImpl::reset() { reset_coder(*this, options.encoder_layer(), options.num_layers()); }
void TransformerEncoderImpl::reset_parameters() { reset_coder_parameters<TransformerEncoderLayerImpl>(*this); }
Tensor TransformerEncoderImpl::forward(const Tensor& src, const Tensor& src_mask, const Tensor& src_key_padding_mask) {
  return run_coder<TransformerEncoderLayerImpl>(
      *this, src, [&](auto& layer, const Tensor& x) { return layer.forward(x, src_mask, src_key_padding_mask); });
}

TransformerDecoderImpl::TransformerDecoderImpl(TransformerDecoderLayer decoder_layer, int64_t num_layers)
    : TransformerDecoderImpl(TransformerDecoderOptions(std::move(decoder_layer), num_layers)) {}
TransformerDecoderImpl::TransformerDecoderImpl(TransformerDecoderOptions options_) : options(std::move(options_)) {
  TransformerDecoderImpl::reset();
}
void TransformerDecoderImpl::reset() { reset_coder(*this, options.decoder_layer(), options.num_layers()); }
void TransformerDecoderImpl::reset_parameters() { reset_coder_parameters<TransformerDecoderLayerImpl>(*this); }
Tensor TransformerDecoderImpl::forward(const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask,
                                       const Tensor& memory_mask, const Tensor& tgt_key_padding_mask,
                                       const Tensor& memory_key_padding_mask) {
  return run_coder<TransformerDecoderLayerImpl>(*this, tgt, [&](auto& layer, const Tensor& x) {
    return layer.forward(x, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask);
  });
}

TransformerImpl::TransformerImpl(TransformerOptions options_) : options(std::move(options_)) {
  TransformerImpl::reset();
}

void TransformerImpl::reset() {
  const auto layer_options = [this](auto result) {
    return result.dim_feedforward(options.dim_feedforward())
        .dropout(options.dropout())
        .activation(options.activation());
  };
  const auto norm = [this] { return AnyModule(LayerNorm(LayerNormOptions({options.d_model()}))); };
  const int64_t width = options.d_model(), heads = options.nhead();
  if (options.custom_encoder().is_empty()) {
    const auto layer = layer_options(TransformerEncoderLayerOptions(width, heads));
    encoder =
        AnyModule(TransformerEncoder(TransformerEncoderOptions(layer, options.num_encoder_layers()).norm(norm())));
  } else {
    encoder = options.custom_encoder().clone();
  }
  register_module("encoder", encoder.ptr());
  if (options.custom_decoder().is_empty()) {
    const auto layer = layer_options(TransformerDecoderLayerOptions(width, heads));
    decoder =
        AnyModule(TransformerDecoder(TransformerDecoderOptions(layer, options.num_decoder_layers()).norm(norm())));
  } else {
    decoder = options.custom_decoder().clone();
  }
  register_module("decoder", decoder.ptr());
  reset_parameters();
}

void TransformerImpl::reset_parameters() {
  for (const Tensor& parameter : parameters())
    if (parameter.dim() > 1) init::xavier_uniform_(parameter);
}

Tensor TransformerImpl::forward(const Tensor& src, const Tensor& tgt, const Tensor& src_mask, const Tensor& tgt_mask,
                                const Tensor& memory_mask, const Tensor& src_key_padding_mask,
                                const Tensor& tgt_key_padding_mask, const Tensor& memory_key_padding_mask) {
  TORCH_CHECK(src.dim() == 3 && tgt.dim() == 3, "src and tgt should have 3 dimensions, but got ", src.dim(), " and ",
              tgt.dim());
  TORCH_CHECK(src.size(1) == tgt.size(1), "src and tgt should have equal batch size (at dim 1), but got ", src.size(1),
              " and ", tgt.size(1));
  TORCH_CHECK(src.size(2) == options.d_model() && tgt.size(2) == options.d_model(),
              "src and tgt should have same feature size as d_model (at dim 2), but got ", src.size(2), " and ",
              tgt.size(2), " while d_model is ", options.d_model());
  const Tensor memory = encoder.forward<Tensor>(src, src_mask, src_key_padding_mask);
  return decoder.forward<Tensor>(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask);
}

Tensor TransformerImpl::generate_square_subsequent_mask(int64_t sz) {
  TORCH_CHECK(sz >= 0, "Input size must be non-negative to generate a valid square subsequent mask, but got ", sz);
  return torch::triu(torch::full({sz, sz}, -std::numeric_limits<float>::infinity()), 1);
}

}  // namespace torch::nn
