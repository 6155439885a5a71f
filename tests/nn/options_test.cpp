#include "tests/support/options.h"

#include <minima/nn/adapters/lora.h>
#include <minima/nn/attention/multihead_attention.h>
#include <minima/nn/attention/positions.h>
#include <minima/nn/attention/transformer.h>
#include <minima/nn/derivatives.h>
#include <minima/nn/init/init.h>
#include <minima/nn/layers/bilinear.h>
#include <minima/nn/layers/distance.h>
#include <minima/nn/layers/embedding_bag.h>
#include <minima/nn/layers/padding.h>
#include <minima/nn/loss/adaptive_softmax.h>
#include <minima/nn/nn.h>
#include <minima/nn/parametrize/norms.h>
#include <minima/nn/recurrent/cells.h>
#include <minima/ops/creation/creation.h>

#include <gtest/gtest.h>

namespace minima::nn::options_test {
namespace {

using i64 = std::int64_t;
using test::OptionRow;

Tensor two() { return ones({2, 2}); }
Tensor signs() { return tensor<float>({1, -1}); }

struct OneLayer : ModuleOf<OneLayer> {
  Linear fc = child("fc", Linear({.in = 2, .out = 2}));
};

std::vector<OptionRow> layers() {
  return {
      {"LoraOptions.rank", "[1, 16777216]",
       [](i64 v) {
         OneLayer net;
         add_lora(net, {.rank = v, .targets = {"fc"}});
       }},
      {"LoraOptions.alpha", "(-inf, inf)",
       [](double v) {
         OneLayer net;
         add_lora(net, {.alpha = v, .targets = {"fc"}});
       }},
      {"LoraOptions.dropout", "[0, 1)",
       [](double v) {
         OneLayer net;
         add_lora(net, {.targets = {"fc"}, .dropout = v});
       }},
      {"LinearOptions.in", "[1, inf)", [](i64 v) { Linear({.in = v, .out = 1}); }},
      {"LinearOptions.out", "[1, inf)", [](i64 v) { Linear({.in = 1, .out = v}); }},
      {"BilinearOptions.in1", "[1, inf)", [](i64 v) { Bilinear({.in1 = v, .in2 = 1, .out = 1}); }},
      {"BilinearOptions.in2", "[1, inf)", [](i64 v) { Bilinear({.in1 = 1, .in2 = v, .out = 1}); }},
      {"BilinearOptions.out", "[1, inf)", [](i64 v) { Bilinear({.in1 = 1, .in2 = 1, .out = v}); }},
      {"EmbeddingOptions.count", "[1, inf)", [](i64 v) { Embedding({.count = v, .dim = 1}); }},
      {"EmbeddingOptions.dim", "[1, inf)", [](i64 v) { Embedding({.count = 1, .dim = v}); }},
      {"EmbeddingOptions.padding", "[0, 2)", [](i64 v) { Embedding({.count = 2, .dim = 1, .padding = v}); }},
      {"EmbeddingBagLayerOptions.count", "[1, inf)", [](i64 v) { EmbeddingBag({.count = v, .dim = 1}); }},
      {"EmbeddingBagLayerOptions.dim", "[1, inf)", [](i64 v) { EmbeddingBag({.count = 1, .dim = v}); }},
      {"EmbeddingBagLayerOptions.padding", "[0, 2)", [](i64 v) { EmbeddingBag({.count = 2, .dim = 1, .padding = v}); }},
      {"DropoutOptions.p", "[0, 1]", [](double v) { Dropout({.p = v}); }},
      {"DropoutOptions.p", "[0, 1]", [](double v) { FeatureDropout({.p = v}); }},
      {"DropoutOptions.p", "[0, 1]", [](double v) { AlphaDropout({.p = v}); }},
      {"DropoutOptions.p", "[0, 1]", [](double v) { FeatureAlphaDropout({.p = v}); }},
      {"FlattenOptions.first", "[-2, 2)", [](i64 v) { Flatten({.first = v})(two()); }},
      {"FlattenOptions.last", "[-2, 2)", [](i64 v) { Flatten({.first = 0, .last = v})(two()); }},
      {"PaddingOptions.amounts", "[-2, inf)", [](i64 v) { ConstantPad1d({.amounts = {v, 1}})(two()); }, "", "pad"},
      {"PaddingOptions.value", "any", [](double v) { ConstantPad1d({.amounts = 1, .value = v})(two()); },
       "marks what is padded"},
      {"PReLUOptions.features", "[1, inf)", [](i64 v) { PReLU({.features = v}); }},
      {"PReLUOptions.init", "(-inf, inf)", [](double v) { PReLU({.init = v}); }},
      {"SpectralNormOptions.n_power_iterations", "[1, 1000000]",
       [](int v) { spectral_norm(Linear({.in = 1, .out = 1}), {.n_power_iterations = v}); }},
      {"SpectralNormOptions.eps", "[0, inf)", [](double v) { spectral_norm(Linear({.in = 1, .out = 1}), {.eps = v}); }},
      {"SpectralNormOptions.dim", "[-2, 2)", [](i64 v) { spectral_norm(Linear({.in = 1, .out = 1}), {.dim = v}); }},
      {"TruncatedNormal.mean", "(-inf, inf)", [](double v) { init::trunc_normal_(two(), {.mean = v}); }},
      {"TruncatedNormal.std", "(0, inf)", [](double v) { init::trunc_normal_(two(), {.std = v}); }},
      {"TruncatedNormal.low", "[-inf, 2]", [](double v) { init::trunc_normal_(two(), {.low = v}); }, "no bound"},
      {"TruncatedNormal.high", "[-2, inf]", [](double v) { init::trunc_normal_(two(), {.high = v}); }, "no bound"},
      {"Kaiming.negative_slope", "[-1e6, 1e6]", [](double v) { init::kaiming_uniform_(two(), {.negative_slope = v}); }},
  };
}

std::vector<OptionRow> activations() {
  return {
      {"LeakyReLUOptions.negative_slope", "(-inf, inf)", [](double v) { LeakyReLU({.negative_slope = v})(two()); }},
      {"ELUOptions.alpha", "(-inf, inf)", [](double v) { ELU({.alpha = v})(two()); }},
      {"CELUOptions.alpha", "nonzero", [](double v) { CELU({.alpha = v})(two()); }},
      {"SoftplusOptions.beta", "nonzero", [](double v) { Softplus({.beta = v})(two()); }},
      {"SoftplusOptions.threshold", "[-inf, inf]", [](double v) { Softplus({.threshold = v})(two()); },
       "always or never linear"},
      {"HardtanhOptions.min", "[-inf, 1]", [](double v) { Hardtanh({.min = v})(two()); }, "no bound", "low"},
      {"HardtanhOptions.max", "[-1, inf]", [](double v) { Hardtanh({.max = v})(two()); }, "no bound", "high"},
      {"HardshrinkOptions.lambda", "[0, inf)", [](double v) { Hardshrink({.lambda = v})(two()); }},
      {"SoftshrinkOptions.lambda", "[0, inf)", [](double v) { Softshrink({.lambda = v})(two()); }},
      {"SoftmaxOptions.dim", "[-2, 2)", [](i64 v) { Softmax({.dim = v})(two()); }},
      {"SoftmaxOptions.dim", "[-2, 2)", [](i64 v) { LogSoftmax({.dim = v})(two()); }},
      {"SoftminOptions.dim", "[-2, 2)", [](i64 v) { Softmin({.dim = v})(two()); }},
      {"GLUOptions.dim", "[-2, 2)", [](i64 v) { GLU({.dim = v})(two()); }},
      {"RReLUOptions.lower", "(-inf, 0.3]", [](double v) { RReLU({.lower = v})(two()); }},
      {"RReLUOptions.upper", "[0.125, inf)", [](double v) { RReLU({.upper = v})(two()); }},
      {"CosineSimilarityOptions.dim", "[-2, 2)", [](i64 v) { CosineSimilarity({.dim = v})(two(), two()); }},
      {"CosineSimilarityOptions.eps", "[0, inf)", [](double v) { CosineSimilarity({.eps = v})(two(), two()); }},
      {"PairwiseDistanceOptions.p", "[-inf, inf]", [](double v) { PairwiseDistance({.p = v})(two(), two()); },
       "the norms of the largest and least element"},
      {"PairwiseDistanceOptions.eps", "(-inf, inf)", [](double v) { PairwiseDistance({.eps = v})(two(), two()); }},
  };
}

std::vector<OptionRow> convolutions() {
  return {
      {"Conv1dOptions.in", "[1, inf)", [](i64 v) { Conv1d({.in = v, .out = 1, .kernel = 1}); }},
      {"Conv1dOptions.out", "[1, inf)", [](i64 v) { Conv1d({.in = 1, .out = v, .kernel = 1}); }},
      {"Conv1dOptions.kernel", "[1, inf)", [](i64 v) { Conv1d({.in = 1, .out = 1, .kernel = v}); }},
      {"Conv1dOptions.stride", "[1, inf)", [](i64 v) { Conv1d({.in = 1, .out = 1, .kernel = 1, .stride = v}); }},
      {"Conv1dOptions.padding", "[0, inf)", [](i64 v) { Conv1d({.in = 1, .out = 1, .kernel = 1, .padding = v}); }},
      {"Conv1dOptions.dilation", "[1, inf)", [](i64 v) { Conv1d({.in = 1, .out = 1, .kernel = 1, .dilation = v}); }},
      {"Conv1dOptions.groups", "[1, inf)", [](i64 v) { Conv1d({.in = 1, .out = 1, .kernel = 1, .groups = v}); }},
      {"Conv2dOptions.in", "[1, inf)", [](i64 v) { Conv2d({.in = v, .out = 1, .kernel = 1}); }},
      {"Conv2dOptions.out", "[1, inf)", [](i64 v) { Conv2d({.in = 1, .out = v, .kernel = 1}); }},
      {"Conv2dOptions.kernel", "[1, inf)", [](i64 v) { Conv2d({.in = 1, .out = 1, .kernel = {1, v}}); }},
      {"Conv2dOptions.stride", "[1, inf)", [](i64 v) { Conv2d({.in = 1, .out = 1, .kernel = 1, .stride = {v, 1}}); }},
      {"Conv2dOptions.padding", "[0, inf)", [](i64 v) { Conv2d({.in = 1, .out = 1, .kernel = 1, .padding = {1, v}}); }},
      {"Conv2dOptions.dilation", "[1, inf)",
       [](i64 v) { Conv2d({.in = 1, .out = 1, .kernel = 1, .dilation = {v, 1}}); }},
      {"Conv2dOptions.groups", "[1, inf)", [](i64 v) { Conv2d({.in = 1, .out = 1, .kernel = 1, .groups = v}); }},
      {"Conv3dOptions.in", "[1, inf)", [](i64 v) { Conv3d({.in = v, .out = 1, .kernel = 1}); }},
      {"Conv3dOptions.out", "[1, inf)", [](i64 v) { Conv3d({.in = 1, .out = v, .kernel = 1}); }},
      {"Conv3dOptions.kernel", "[1, inf)", [](i64 v) { Conv3d({.in = 1, .out = 1, .kernel = {1, 1, v}}); }},
      {"Conv3dOptions.stride", "[1, inf)",
       [](i64 v) { Conv3d({.in = 1, .out = 1, .kernel = 1, .stride = {v, 1, 1}}); }},
      {"Conv3dOptions.padding", "[0, inf)",
       [](i64 v) { Conv3d({.in = 1, .out = 1, .kernel = 1, .padding = {1, v, 1}}); }},
      {"Conv3dOptions.dilation", "[1, inf)", [](i64 v) { Conv3d({.in = 1, .out = 1, .kernel = 1, .dilation = v}); }},
      {"Conv3dOptions.groups", "[1, inf)", [](i64 v) { Conv3d({.in = 1, .out = 1, .kernel = 1, .groups = v}); }},
  };
}

std::vector<OptionRow> transposed_convolutions() {
  return {
      {"ConvTranspose1dOptions.in", "[1, inf)", [](i64 v) { ConvTranspose1d({.in = v, .out = 1, .kernel = 1}); }},
      {"ConvTranspose1dOptions.out", "[1, inf)", [](i64 v) { ConvTranspose1d({.in = 1, .out = v, .kernel = 1}); }},
      {"ConvTranspose1dOptions.kernel", "[1, inf)", [](i64 v) { ConvTranspose1d({.in = 1, .out = 1, .kernel = v}); }},
      {"ConvTranspose1dOptions.stride", "[1, inf)",
       [](i64 v) { ConvTranspose1d({.in = 1, .out = 1, .kernel = 1, .stride = v}); }},
      {"ConvTranspose1dOptions.padding", "[0, inf)",
       [](i64 v) { ConvTranspose1d({.in = 1, .out = 1, .kernel = 1, .padding = v}); }},
      {"ConvTranspose1dOptions.output_padding", "[0, inf)",
       [](i64 v) { ConvTranspose1d({.in = 1, .out = 1, .kernel = 1, .output_padding = v}); }},
      {"ConvTranspose1dOptions.dilation", "[1, inf)",
       [](i64 v) { ConvTranspose1d({.in = 1, .out = 1, .kernel = 1, .dilation = v}); }},
      {"ConvTranspose1dOptions.groups", "[1, inf)",
       [](i64 v) { ConvTranspose1d({.in = 1, .out = 1, .kernel = 1, .groups = v}); }},
      {"ConvTranspose2dOptions.in", "[1, inf)", [](i64 v) { ConvTranspose2d({.in = v, .out = 1, .kernel = 1}); }},
      {"ConvTranspose2dOptions.out", "[1, inf)", [](i64 v) { ConvTranspose2d({.in = 1, .out = v, .kernel = 1}); }},
      {"ConvTranspose2dOptions.kernel", "[1, inf)", [](i64 v) { ConvTranspose2d({.in = 1, .out = 1, .kernel = v}); }},
      {"ConvTranspose2dOptions.stride", "[1, inf)",
       [](i64 v) { ConvTranspose2d({.in = 1, .out = 1, .kernel = 1, .stride = {1, v}}); }},
      {"ConvTranspose2dOptions.padding", "[0, inf)",
       [](i64 v) { ConvTranspose2d({.in = 1, .out = 1, .kernel = 1, .padding = v}); }},
      {"ConvTranspose2dOptions.output_padding", "[0, inf)",
       [](i64 v) { ConvTranspose2d({.in = 1, .out = 1, .kernel = 1, .output_padding = {v, 0}}); }},
      {"ConvTranspose2dOptions.dilation", "[1, inf)",
       [](i64 v) { ConvTranspose2d({.in = 1, .out = 1, .kernel = 1, .dilation = v}); }},
      {"ConvTranspose2dOptions.groups", "[1, inf)",
       [](i64 v) { ConvTranspose2d({.in = 1, .out = 1, .kernel = 1, .groups = v}); }},
      {"ConvTranspose3dOptions.in", "[1, inf)", [](i64 v) { ConvTranspose3d({.in = v, .out = 1, .kernel = 1}); }},
      {"ConvTranspose3dOptions.out", "[1, inf)", [](i64 v) { ConvTranspose3d({.in = 1, .out = v, .kernel = 1}); }},
      {"ConvTranspose3dOptions.kernel", "[1, inf)", [](i64 v) { ConvTranspose3d({.in = 1, .out = 1, .kernel = v}); }},
      {"ConvTranspose3dOptions.stride", "[1, inf)",
       [](i64 v) { ConvTranspose3d({.in = 1, .out = 1, .kernel = 1, .stride = {1, v, 1}}); }},
      {"ConvTranspose3dOptions.padding", "[0, inf)",
       [](i64 v) { ConvTranspose3d({.in = 1, .out = 1, .kernel = 1, .padding = v}); }},
      {"ConvTranspose3dOptions.output_padding", "[0, inf)",
       [](i64 v) { ConvTranspose3d({.in = 1, .out = 1, .kernel = 1, .output_padding = {0, v, 0}}); }},
      {"ConvTranspose3dOptions.dilation", "[1, inf)",
       [](i64 v) { ConvTranspose3d({.in = 1, .out = 1, .kernel = 1, .dilation = v}); }},
      {"ConvTranspose3dOptions.groups", "[1, inf)",
       [](i64 v) { ConvTranspose3d({.in = 1, .out = 1, .kernel = 1, .groups = v}); }},
  };
}

std::vector<OptionRow> norms() {
  return {
      {"BatchNormOptions.features", "[1, inf)", [](i64 v) { BatchNorm2d({.features = v}); }},
      {"BatchNormOptions.eps", "[0, inf)", [](double v) { BatchNorm2d({.features = 1, .eps = v}); }},
      {"BatchNormOptions.momentum", "[0, 1]", [](double v) { BatchNorm2d({.features = 1, .momentum = v}); }},
      {"InstanceNormOptions.features", "[1, inf)", [](i64 v) { InstanceNorm2d({.features = v}); }},
      {"InstanceNormOptions.eps", "[0, inf)", [](double v) { InstanceNorm2d({.features = 1, .eps = v}); }},
      {"InstanceNormOptions.momentum", "[0, 1]", [](double v) { InstanceNorm2d({.features = 1, .momentum = v}); }},
      {"GroupNormOptions.groups", "[1, inf)", [](i64 v) { GroupNorm({.groups = v, .channels = 4}); }},
      {"GroupNormOptions.channels", "[1, inf)", [](i64 v) { GroupNorm({.groups = 1, .channels = v}); }},
      {"GroupNormOptions.eps", "[0, inf)", [](double v) { GroupNorm({.groups = 1, .channels = 4, .eps = v}); }},
      {"LayerNormOptions.shape", "[1, inf)", [](i64 v) { LayerNorm({.shape = {v, 2}}); }},
      {"LayerNormOptions.eps", "[0, inf)", [](double v) { LayerNorm({.shape = {2}, .eps = v}); }},
      {"RMSNormOptions.shape", "[1, inf)", [](i64 v) { RMSNorm({.shape = {2, v}}); }},
      {"RMSNormOptions.eps", "[0, inf)", [](double v) { RMSNorm({.shape = {2}, .eps = v}); }},
  };
}

std::vector<OptionRow> attention_and_recurrence() {
  return {
      {"MultiheadAttentionOptions.embed_dim", "[1, inf)", [](i64 v) { MultiheadAttention({.embed_dim = v}); }},
      {"MultiheadAttentionOptions.num_heads", "[1, inf)",
       [](i64 v) { MultiheadAttention({.embed_dim = 4, .num_heads = v}); }},
      {"MultiheadAttentionOptions.dropout", "[0, 1)",
       [](double v) { MultiheadAttention({.embed_dim = 4, .dropout = v}); }},
      {"MultiheadAttentionOptions.kdim", "[0, inf)", [](i64 v) { MultiheadAttention({.embed_dim = 4, .kdim = v}); }},
      {"MultiheadAttentionOptions.vdim", "[0, inf)", [](i64 v) { MultiheadAttention({.embed_dim = 4, .vdim = v}); }},
      {"AlibiOptions.first", "[0, inf)", [](i64 v) { alibi_mask(1, 1, 1, {.first = v}); }},
      {"TransformerOptions.d_model", "[1, inf)",
       [](i64 v) { Transformer({.d_model = v, .nhead = 1, .num_encoder_layers = 1, .num_decoder_layers = 0}); }},
      {"TransformerOptions.nhead", "[1, inf)",
       [](i64 v) { Transformer({.d_model = 4, .nhead = v, .num_encoder_layers = 1, .num_decoder_layers = 0}); }},
      {"TransformerOptions.num_encoder_layers", "[0, 65536]",
       [](i64 v) { Transformer({.d_model = 1, .nhead = 1, .num_encoder_layers = v, .num_decoder_layers = 0}); }},
      {"TransformerOptions.num_decoder_layers", "[0, 65536]",
       [](i64 v) { Transformer({.d_model = 1, .nhead = 1, .num_encoder_layers = 0, .num_decoder_layers = v}); }},
      {"TransformerOptions.dim_feedforward", "[1, inf)",
       [](i64 v) {
         Transformer(
             {.d_model = 4, .nhead = 1, .num_encoder_layers = 1, .num_decoder_layers = 0, .dim_feedforward = v});
       }},
      {"TransformerOptions.dropout", "[0, 1)",
       [](double v) {
         Transformer({.d_model = 4, .nhead = 1, .num_encoder_layers = 0, .num_decoder_layers = 0, .dropout = v});
       }},
      {"TransformerOptions.layer_norm_eps", "[0, inf)",
       [](double v) {
         Transformer({.d_model = 4, .nhead = 1, .num_encoder_layers = 0, .num_decoder_layers = 0, .layer_norm_eps = v});
       }},
      {"TransformerLayerOptions.d_model", "[1, inf)",
       [](i64 v) { TransformerEncoderLayer({.d_model = v, .dim_feedforward = 4}); }},
      {"TransformerLayerOptions.nhead", "[1, inf)",
       [](i64 v) { TransformerDecoderLayer({.d_model = 4, .nhead = v, .dim_feedforward = 4}); }},
      {"TransformerLayerOptions.dim_feedforward", "[1, inf)",
       [](i64 v) { TransformerEncoderLayer({.d_model = 4, .dim_feedforward = v}); }},
      {"TransformerLayerOptions.dropout", "[0, 1)",
       [](double v) { TransformerEncoderLayer({.d_model = 4, .dim_feedforward = 4, .dropout = v}); }},
      {"TransformerLayerOptions.layer_norm_eps", "[0, inf)",
       [](double v) { TransformerEncoderLayer({.d_model = 4, .dim_feedforward = 4, .layer_norm_eps = v}); }},
      {"RNNOptions.in", "[1, inf)", [](i64 v) { RNN({.in = v, .hidden = 1}); }},
      {"RNNOptions.hidden", "[1, inf)", [](i64 v) { LSTM({.in = 1, .hidden = v}); }},
      {"RNNOptions.layers", "[1, 65536]", [](i64 v) { GRU({.in = 1, .hidden = 1, .layers = v}); }},
      {"RNNOptions.dropout", "[0, 1]", [](double v) { GRU({.in = 1, .hidden = 1, .layers = 2, .dropout = v}); }},
      {"RNNOptions.projection", "[0, 2)", [](i64 v) { LSTM({.in = 1, .hidden = 2, .projection = v}); }},
      {"RNNCellOptions.in", "[1, inf)", [](i64 v) { RNNCell({.in = v, .hidden = 1}); }},
      {"RNNCellOptions.hidden", "[1, inf)", [](i64 v) { GRUCell({.in = 1, .hidden = v}); }},
  };
}

std::vector<OptionRow> losses() {
  return {
      {"AdaptiveLogSoftmaxOptions.in", "[1, inf)",
       [](i64 v) { AdaptiveLogSoftmaxWithLoss({.in = v, .classes = 4, .cutoffs = {2}}); }},
      {"AdaptiveLogSoftmaxOptions.classes", "[3, inf)",
       [](i64 v) { AdaptiveLogSoftmaxWithLoss({.in = 4, .classes = v, .cutoffs = {2}}); }},
      {"AdaptiveLogSoftmaxOptions.cutoffs", "[1, 4)",
       [](i64 v) { AdaptiveLogSoftmaxWithLoss({.in = 4, .classes = 4, .cutoffs = {v}}); }},
      {"AdaptiveLogSoftmaxOptions.div_value", "(0, inf)",
       [](double v) { AdaptiveLogSoftmaxWithLoss({.in = 4, .classes = 4, .cutoffs = {2}, .div_value = v}); }},
      {"SmoothL1LossOptions.beta", "[0, inf)", [](double v) { SmoothL1Loss({.beta = v})(two(), two()); }},
      {"HuberLossOptions.delta", "(0, inf)", [](double v) { HuberLoss({.delta = v})(two(), two()); }},
      {"MarginRankingLossOptions.margin", "(-inf, inf)",
       [](double v) { MarginRankingLoss({.margin = v})(signs(), signs(), signs()); }},
      {"HingeEmbeddingLossOptions.margin", "(-inf, inf)",
       [](double v) { HingeEmbeddingLoss({.margin = v})(signs(), signs()); }},
      {"CosineEmbeddingLossOptions.margin", "(-inf, inf)",
       [](double v) { CosineEmbeddingLoss({.margin = v})(two(), two(), signs()); }},
  };
}

TEST(Options, OfNnAreChecked) {
  std::vector<OptionRow> rows;
  for (const auto& part : {layers(), activations(), convolutions(), transposed_convolutions(), norms(),
                           attention_and_recurrence(), losses()})
    rows.insert(rows.end(), part.begin(), part.end());
  test::try_options("nn", rows);
}

}  // namespace
}  // namespace minima::nn::options_test
