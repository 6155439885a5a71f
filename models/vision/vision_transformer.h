#pragma once

#include <minima/nn/attention/multihead_attention.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/layer_norm.h>

#include <cstdint>

namespace minima::models {

/// Those of ViT-B/16. torchvision's vit_b_32 has patch 32; vit_l_16 has 24 layers, 16 heads, width 1024 and mlp 4096.
struct VisionTransformerOptions {
  std::int64_t image = 224;  ///< height and width of the images, a multiple of patch
  std::int64_t patch = 16;   ///< height and width of the patches
  std::int64_t layers = 12;
  std::int64_t heads = 12;   ///< a divisor of width
  std::int64_t width = 768;  ///< features of a patch
  std::int64_t mlp = 3072;   ///< hidden features of the feed-forward layers
  double dropout = 0;
  double attention_dropout = 0;
  std::int64_t classes = 1000;
};

/// The layers of a VisionTransformer and their positions, its child `encoder`: x [N, 1 + patches, width] → the same.
class MINIMA_API VisionEncoder : public nn::Module {
 public:
  explicit VisionEncoder(const VisionTransformerOptions& options);
  Tensor forward(const Tensor& x) override;

  nn::Parameter pos_embedding;  ///< [1, 1 + patches, width]
  nn::Sequential layers;        ///< encoder_layer_0, encoder_layer_1, …
  nn::LayerNorm ln;
  double dropout;
};

/// A transformer on patches of images (Dosovitskiy et al. 2021), torchvision.models.vit_b_16: x [N, 3, image, image] →
/// logits [N, classes]. The head starts at 0.
///   models::VisionTransformer net({.image = 384});
class MINIMA_API VisionTransformer : public nn::Module {
 public:
  /// Throws ValueError for sizes below 1, or if patch does not divide image or heads does not divide width.
  explicit VisionTransformer(const VisionTransformerOptions& options = {});
  /// Throws ShapeError for images of another size.
  Tensor forward(const Tensor& x) override;

  VisionTransformerOptions options;
  nn::Parameter class_token;  ///< [1, 1, width]
  nn::Conv2d conv_proj;
  VisionEncoder encoder;
  nn::Sequential heads;  ///< head
};

}  // namespace minima::models
