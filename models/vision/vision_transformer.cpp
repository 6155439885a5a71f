#include <minima/models/vision/vision_transformer.h>

#include <minima/models/check_size.h>
#include <minima/nn/attention/multihead_attention.h>
#include <minima/nn/init/init.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/dropout.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/layer_norm.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/dropout/dropout.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace minima::models {

namespace {

nn::LayerNorm encoder_norm(std::int64_t width) { return nn::LayerNorm({.shape = {width}, .eps = 1e-6}); }

/// x + attention(norm(x)), then x + mlp(norm(x)).
struct EncoderBlock : nn::Module {
  explicit EncoderBlock(const VisionTransformerOptions& options)
      : ln_1(child("ln_1", encoder_norm(options.width))),
        self_attention(child("self_attention", nn::MultiheadAttention({.embed_dim = options.width,
                                                                       .num_heads = options.heads,
                                                                       .dropout = options.attention_dropout,
                                                                       .batch_first = true}))),
        ln_2(child("ln_2", encoder_norm(options.width))),
        mlp(child("mlp", nn::Sequential())),
        p(options.dropout) {
    // torchvision counts the activation as layer 1.
    const nn::Linear up({.in = options.width, .out = options.mlp, .activation = Activation::gelu});
    const nn::Linear down({.in = options.mlp, .out = options.width});
    mlp.push_back("0", up);
    mlp.push_back("2", nn::Dropout({p}));
    mlp.push_back("3", down);
    mlp.push_back("4", nn::Dropout({p}));
    for (const nn::Linear* layer : {&up, &down}) {
      nn::init::xavier_uniform_(layer->weight);
      nn::init::normal_(layer->bias, 0, 1e-6);
    }
  }
  Tensor forward(const Tensor& x) override {
    const Tensor normalized = ln_1(x);
    const nn::MultiheadAttentionCall call{.need_weights = false};
    const Tensor h = x + dropout(self_attention(normalized, normalized, normalized, call).y, p, is_training());
    return h + mlp(ln_2(h));
  }

  nn::LayerNorm ln_1;
  nn::MultiheadAttention self_attention;
  nn::LayerNorm ln_2;
  nn::Sequential mlp;
  double p;
};

const VisionTransformerOptions& checked(const VisionTransformerOptions& options) {
  detail::check_sizes("VisionTransformer", {{"image", options.image},
                                            {"patch", options.patch},
                                            {"layers", options.layers},
                                            {"heads", options.heads},
                                            {"width", options.width},
                                            {"mlp", options.mlp},
                                            {"classes", options.classes}});
  detail::check_dropout("VisionTransformer", "dropout", options.dropout);
  detail::check_dropout("VisionTransformer", "attention_dropout", options.attention_dropout);
  if (options.image % options.patch != 0)
    throw ValueError(str("VisionTransformer: patch = ", options.patch, " must divide image = ", options.image));
  return options;
}

std::int64_t positions(const VisionTransformerOptions& options) {
  const std::int64_t side = options.image / options.patch;
  return 1 + side * side;
}

}  // namespace

VisionEncoder::VisionEncoder(const VisionTransformerOptions& options)
    : pos_embedding(parameter("pos_embedding", empty({1, positions(options), options.width}))),
      layers(child("layers", nn::Sequential())),
      ln(child("ln", encoder_norm(options.width))),
      dropout(options.dropout) {
  nn::init::normal_(pos_embedding, 0, 0.02);
  for (std::int64_t i = 0; i < options.layers; ++i)
    layers.push_back("encoder_layer_" + std::to_string(i), EncoderBlock(options));
}

Tensor VisionEncoder::forward(const Tensor& x) {
  return ln(layers(minima::dropout(x + pos_embedding, dropout, is_training())));
}

VisionTransformer::VisionTransformer(const VisionTransformerOptions& given)
    : options(checked(given)),
      class_token(parameter("class_token", zeros({1, 1, options.width}))),
      conv_proj(child("conv_proj",
                      nn::Conv2d({.in = 3, .out = options.width, .kernel = options.patch, .stride = options.patch}))),
      encoder(child("encoder", VisionEncoder(options))),
      heads(child("heads", nn::Sequential())) {
  nn::init::normal_(conv_proj.weight, 0, 1 / std::sqrt(static_cast<double>(3 * options.patch * options.patch)));
  nn::init::zeros_(conv_proj.bias);
  const nn::Linear head({.in = options.width, .out = options.classes});
  nn::init::zeros_(head.weight);
  nn::init::zeros_(head.bias);
  heads.push_back("head", head);
}

Tensor VisionTransformer::forward(const Tensor& x) {
  if (x.rank() != 4 || x.size(2) != options.image || x.size(3) != options.image)
    throw ShapeError(str("VisionTransformer: x must be [N, 3, ", options.image, ", ", options.image, "], not ",
                         x.shape(), "; interpolate the images, or make a model with .image = their size"));
  const Tensor patches = transpose(flatten(conv_proj(x), 2), 1, 2);
  const Tensor classes = expand(class_token, {x.size(0), 1, options.width});
  return heads(select(encoder(cat({classes, patches}, 1)), 1, 0));
}

}  // namespace minima::models
