#include <minima/nn/attention/transformer.h>

#include "tests/nn/attention/fixture.h"
#include "tests/support/expect_error.h"

#include <minima/nn/attention/transformer_layers.h>
#include <minima/nn/norm/layer_norm.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::nn::transformer_test {
namespace {

using test::AttentionFixture;
using test::expect_error;

TEST(TransformerLayers, EncoderLayersFollowPyTorch) {
  {
    AttentionFixture fixture("encoder_layer");
    TransformerEncoderLayer layer({.d_model = 8, .nhead = 2, .dim_feedforward = 12, .dropout = 0});
    const Tensor src = fixture.input("src");
    fixture.start(layer);
    fixture.check({{"y", layer(src)}});
  }
  AttentionFixture fixture("encoder_layer_first");
  TransformerEncoderLayer layer({.d_model = 8,
                                 .nhead = 2,
                                 .dim_feedforward = 12,
                                 .dropout = 0,
                                 .activation = Activation::gelu,
                                 .layer_norm_eps = 1e-3,
                                 .batch_first = true,
                                 .norm_first = true,
                                 .bias = false});
  const Tensor src = fixture.input("src");
  fixture.start(layer);
  fixture.check({{"y", layer(src, EncoderMasks{.src_key_padding_mask = fixture.mask("src_key_padding_mask")})}});
}

TEST(TransformerLayers, DecoderLayersFollowPyTorch) {
  {
    AttentionFixture fixture("decoder_layer");
    TransformerDecoderLayer layer(
        {.d_model = 8, .nhead = 2, .dim_feedforward = 12, .dropout = 0, .activation = Activation::gelu});
    const Tensor tgt = fixture.input("tgt"), memory = fixture.input("memory");
    fixture.start(layer);
    const Tensor y = layer(tgt, memory, DecoderMasks{.tgt_mask = fixture.mask("tgt_mask")});
    fixture.check({{"y", y}});
    EXPECT_TRUE(allclose(layer(tgt, memory, DecoderMasks{.tgt_is_causal = true}).detach(), y.detach()));
  }
  AttentionFixture fixture("decoder_layer_first");
  TransformerDecoderLayer layer(
      {.d_model = 8, .nhead = 2, .dim_feedforward = 12, .dropout = 0, .batch_first = true, .norm_first = true});
  const Tensor tgt = fixture.input("tgt"), memory = fixture.input("memory");
  fixture.start(layer);
  fixture.check({{"y", layer(tgt, memory,
                             DecoderMasks{.memory_mask = fixture.mask("memory_mask"),
                                          .memory_key_padding_mask = fixture.mask("memory_key_padding_mask")})}});
}

TEST(Transformer, EncodersFollowPyTorch) {
  AttentionFixture fixture("encoder");
  TransformerEncoder encoder(TransformerEncoderLayer({.d_model = 8, .nhead = 2, .dim_feedforward = 12, .dropout = 0}),
                             2, LayerNorm({.shape = {8}}));
  const Tensor src = fixture.input("src");
  fixture.start(encoder);
  fixture.check({{"y", encoder(src, EncoderMasks{.mask = fixture.mask("mask")})}});
}

TEST(Transformer, DecodersFollowPyTorch) {
  AttentionFixture fixture("decoder");
  TransformerDecoder decoder(TransformerDecoderLayer({.d_model = 8, .nhead = 2, .dim_feedforward = 12, .dropout = 0}),
                             2, LayerNorm({.shape = {8}}));
  const Tensor tgt = fixture.input("tgt"), memory = fixture.input("memory");
  fixture.start(decoder);
  fixture.check({{"y", decoder(tgt, memory, DecoderMasks{.tgt_mask = fixture.mask("tgt_mask")})}});
}

TEST(Transformer, FollowsPyTorch) {
  AttentionFixture fixture("transformer");
  Transformer transformer({.d_model = 8,
                           .nhead = 2,
                           .num_encoder_layers = 1,
                           .num_decoder_layers = 2,
                           .dim_feedforward = 12,
                           .dropout = 0,
                           .batch_first = true});
  const Tensor src = fixture.input("src"), tgt = fixture.input("tgt");
  fixture.start(transformer);
  fixture.check(
      {{"y", transformer(src, tgt,
                         TransformerMasks{.tgt_mask = fixture.mask("tgt_mask"),
                                          .src_key_padding_mask = fixture.mask("src_key_padding_mask"),
                                          .tgt_key_padding_mask = fixture.mask("tgt_key_padding_mask"),
                                          .memory_key_padding_mask = fixture.mask("memory_key_padding_mask")})}});
}

TEST(Transformer, LayersStartEqualAndAreSeparate) {
  const TransformerEncoderLayer layer({.d_model = 4, .nhead = 1, .dim_feedforward = 4});
  TransformerEncoder encoder(layer, 2);
  EXPECT_TRUE(identical(encoder.layers[0].linear1.weight.detach(), encoder.layers[1].linear1.weight.detach()));
  fill_(encoder.layers[0].linear1.weight.detach(), 0);
  EXPECT_FALSE(allclose(encoder.layers[0].linear1.weight.detach(), encoder.layers[1].linear1.weight.detach()));
  EXPECT_FALSE(allclose(encoder.layers[0].linear1.weight.detach(), layer.linear1.weight.detach()));
  // Those of a whole Transformer differ.
  const Transformer transformer({.d_model = 4, .nhead = 1, .dim_feedforward = 4});
  EXPECT_FALSE(allclose(transformer.encoder.layers[0].linear1.weight.detach(),
                        transformer.encoder.layers[1].linear1.weight.detach()));
}

TEST(Transformer, MasksArePyTorchs) {
  const Tensor recorded = load(MINIMA_FIXTURES "/attention.safetensors").tensor("subsequent_mask");
  EXPECT_TRUE(identical(Transformer::generate_square_subsequent_mask(5), recorded));
  EXPECT_EQ(Transformer::generate_square_subsequent_mask(2, {.dtype = float64}).dtype(), float64);
}

TEST(Transformer, DropoutIsInTrainingOnly) {
  Transformer transformer({.d_model = 8, .nhead = 2, .num_encoder_layers = 1, .num_decoder_layers = 1});
  const Tensor src = randn({3, 2, 8}), tgt = randn({4, 2, 8});
  EXPECT_FALSE(allclose(transformer(src, tgt).detach(), transformer(src, tgt).detach()));
  transformer.eval();
  EXPECT_TRUE(identical(transformer(src, tgt).detach(), transformer(src, tgt).detach()));
}

TEST(Transformer, RefusesBadOptions) {
  expect_error<ValueError>([] { TransformerEncoderLayer({.d_model = 8, .nhead = 3}); },
                           "TransformerEncoderLayer: nhead = 3 must divide d_model = 8");
  expect_error<ValueError>([] { TransformerDecoderLayer({.d_model = 8, .dropout = 1}); },
                           "TransformerDecoderLayer: dropout must be at least 0 and below 1, got 1");
  expect_error<ValueError>([] { TransformerEncoderLayer({.d_model = 8, .activation = Activation::none}); },
                           "TransformerEncoderLayer: activation must be relu, gelu or gelu_tanh");
  expect_error<ValueError>([] { TransformerEncoder(TransformerEncoderLayer({.d_model = 8}), -1); },
                           "TransformerEncoder: num_layers must be at least 0, not -1");
}

}  // namespace
}  // namespace minima::nn::transformer_test
