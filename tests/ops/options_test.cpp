#include "tests/support/options.h"

#include <minima/ops/convolution/deform_conv2d.h>
#include <minima/ops/fft/fft.h>
#include <minima/ops/fft/stft.h>
#include <minima/ops/image/boxes.h>
#include <minima/ops/image/regions.h>
#include <minima/ops/index/embedding_bag.h>
#include <minima/ops/loss/ctc.h>
#include <minima/ops/loss/likelihood.h>
#include <minima/ops/loss/token_loss.h>
#include <minima/ops/loss/triplet_distance.h>
#include <minima/ops/ops.h>
#include <minima/ops/pooling/fractional_pool.h>
#include <minima/ops/pooling/lp_pool.h>
#include <minima/ops/pooling/max_unpool.h>
#include <minima/ops/reduce/differences.h>
#include <minima/ops/reduce/histogram.h>
#include <minima/ops/reduce/statistics.h>

#include <gtest/gtest.h>

namespace minima::ops_options_test {
namespace {

using i64 = std::int64_t;
using test::OptionRow;

Tensor two() { return ones({2, 2}); }
Tensor three() { return ones({2, 2, 4}); }
Tensor images() { return ones({1, 1, 4, 4}); }
Tensor volumes() { return ones({1, 1, 2, 2, 2}); }
Tensor boxes() { return tensor<float>({{0, 0, 0, 2, 2}}); }
Tensor corners() { return tensor<float>({{0, 0, 2, 2}}); }
Tensor classes() { return tensor<i64>({0, 1}); }
Tensor places(const Shape& shape) { return zeros(shape, {.dtype = int64}); }

std::vector<OptionRow> convolutions() {
  return {
      {"Conv1dOptions.stride", "[1, inf)", [](i64 v) { conv1d(three(), ones({2, 2, 1}), {}, {.stride = v}); }},
      {"Conv1dOptions.padding", "[0, inf)", [](i64 v) { conv1d(three(), ones({2, 2, 1}), {}, {.padding = v}); }},
      {"Conv1dOptions.dilation", "[1, inf)", [](i64 v) { conv1d(three(), ones({2, 2, 2}), {}, {.dilation = v}); }},
      {"Conv1dOptions.groups", "[1, inf)", [](i64 v) { conv1d(three(), ones({2, 2, 1}), {}, {.groups = v}); }},
      {"Conv2dOptions.stride", "[1, inf)", [](i64 v) { conv2d(images(), ones({1, 1, 1, 1}), {}, {.stride = {v, 1}}); }},
      {"Conv2dOptions.padding", "[0, inf)", [](i64 v) { conv2d(images(), ones({1, 1, 1, 1}), {}, {.padding = v}); }},
      {"Conv2dOptions.dilation", "[1, inf)", [](i64 v) { conv2d(images(), ones({1, 1, 2, 2}), {}, {.dilation = v}); }},
      {"Conv2dOptions.groups", "[1, inf)", [](i64 v) { conv2d(images(), ones({1, 1, 1, 1}), {}, {.groups = v}); }},
      {"Conv3dOptions.stride", "[1, inf)", [](i64 v) { conv3d(volumes(), ones({1, 1, 1, 1, 1}), {}, {.stride = v}); }},
      {"Conv3dOptions.padding", "[0, inf)",
       [](i64 v) { conv3d(volumes(), ones({1, 1, 1, 1, 1}), {}, {.padding = {0, v, 0}}); }},
      {"Conv3dOptions.dilation", "[1, inf)",
       [](i64 v) { conv3d(volumes(), ones({1, 1, 1, 1, 1}), {}, {.dilation = {1, 1, v}}); }},
      {"Conv3dOptions.groups", "[1, inf)", [](i64 v) { conv3d(volumes(), ones({1, 1, 1, 1, 1}), {}, {.groups = v}); }},
      {"ConvTranspose1dOptions.stride", "[1, inf)",
       [](i64 v) { conv_transpose1d(three(), ones({2, 2, 1}), {}, {.stride = v}); }},
      {"ConvTranspose1dOptions.padding", "[0, inf)",
       [](i64 v) { conv_transpose1d(three(), ones({2, 2, 1}), {}, {.padding = v}); }},
      {"ConvTranspose1dOptions.output_padding", "[0, inf)",
       [](i64 v) { conv_transpose1d(three(), ones({2, 2, 1}), {}, {.stride = 2, .output_padding = v}); }},
      {"ConvTranspose1dOptions.dilation", "[1, inf)",
       [](i64 v) { conv_transpose1d(three(), ones({2, 2, 1}), {}, {.dilation = v}); }},
      {"ConvTranspose1dOptions.groups", "[1, inf)",
       [](i64 v) { conv_transpose1d(three(), ones({2, 2, 1}), {}, {.groups = v}); }},
      {"ConvTranspose2dOptions.stride", "[1, inf)",
       [](i64 v) { conv_transpose2d(images(), ones({1, 1, 1, 1}), {}, {.stride = v}); }},
      {"ConvTranspose2dOptions.padding", "[0, inf)",
       [](i64 v) { conv_transpose2d(images(), ones({1, 1, 1, 1}), {}, {.padding = v}); }},
      {"ConvTranspose2dOptions.output_padding", "[0, inf)",
       [](i64 v) { conv_transpose2d(images(), ones({1, 1, 1, 1}), {}, {.stride = 2, .output_padding = v}); }},
      {"ConvTranspose2dOptions.dilation", "[1, inf)",
       [](i64 v) { conv_transpose2d(images(), ones({1, 1, 1, 1}), {}, {.dilation = v}); }},
      {"ConvTranspose2dOptions.groups", "[1, inf)",
       [](i64 v) { conv_transpose2d(images(), ones({1, 1, 1, 1}), {}, {.groups = v}); }},
      {"ConvTranspose3dOptions.stride", "[1, inf)",
       [](i64 v) { conv_transpose3d(volumes(), ones({1, 1, 1, 1, 1}), {}, {.stride = v}); }},
      {"ConvTranspose3dOptions.padding", "[0, inf)",
       [](i64 v) { conv_transpose3d(volumes(), ones({1, 1, 1, 1, 1}), {}, {.padding = v}); }},
      {"ConvTranspose3dOptions.output_padding", "[0, inf)",
       [](i64 v) { conv_transpose3d(volumes(), ones({1, 1, 1, 1, 1}), {}, {.stride = 2, .output_padding = v}); }},
      {"ConvTranspose3dOptions.dilation", "[1, inf)",
       [](i64 v) { conv_transpose3d(volumes(), ones({1, 1, 1, 1, 1}), {}, {.dilation = v}); }},
      {"ConvTranspose3dOptions.groups", "[1, inf)",
       [](i64 v) { conv_transpose3d(volumes(), ones({1, 1, 1, 1, 1}), {}, {.groups = v}); }},
      {"DeformConv2dOptions.stride", "[1, inf)",
       [](i64 v) { deform_conv2d(images(), zeros({1, 2, 4, 4}), ones({1, 1, 1, 1}), {}, {.stride = v}); }},
      {"DeformConv2dOptions.padding", "[0, inf)",
       [](i64 v) { deform_conv2d(images(), zeros({1, 2, 4, 4}), ones({1, 1, 1, 1}), {}, {.padding = v}); }},
      {"DeformConv2dOptions.dilation", "[1, inf)",
       [](i64 v) { deform_conv2d(images(), zeros({1, 2, 4, 4}), ones({1, 1, 1, 1}), {}, {.dilation = v}); }},
      {"FoldOptions.kernel", "[1, inf)", [](i64 v) { unfold(images(), {.kernel = {v, 1}}); }},
      {"FoldOptions.dilation", "[1, inf)", [](i64 v) { unfold(images(), {.kernel = 2, .dilation = v}); }},
      {"FoldOptions.padding", "[0, inf)", [](i64 v) { unfold(images(), {.kernel = 2, .padding = v}); }},
      {"FoldOptions.stride", "[1, inf)", [](i64 v) { unfold(images(), {.kernel = 2, .stride = v}); }},
      {.name = "ConvOptions", .why = "internal; made of the above"},
  };
}

std::vector<OptionRow> pools() {
  return {
      {"MaxPool1dOptions.kernel", "[1, inf)", [](i64 v) { max_pool1d(three(), {.kernel = v}); }},
      {"MaxPool1dOptions.stride", "[1, inf)", [](i64 v) { max_pool1d(three(), {.kernel = 2, .stride = v}); }},
      {"MaxPool1dOptions.padding", "[0, 2)", [](i64 v) { max_pool1d(three(), {.kernel = 2, .padding = v}); }},
      {"MaxPool1dOptions.dilation", "[1, inf)", [](i64 v) { max_pool1d(three(), {.kernel = 2, .dilation = v}); }},
      {"MaxPool2dOptions.kernel", "[1, inf)", [](i64 v) { max_pool2d(images(), {.kernel = v}); }},
      {"MaxPool2dOptions.stride", "[1, inf)", [](i64 v) { max_pool2d(images(), {.kernel = 2, .stride = {1, v}}); }},
      {"MaxPool2dOptions.padding", "[0, 2)", [](i64 v) { max_pool2d(images(), {.kernel = 2, .padding = v}); }},
      {"MaxPool2dOptions.dilation", "[1, inf)", [](i64 v) { max_pool2d(images(), {.kernel = 2, .dilation = v}); }},
      {"MaxPool3dOptions.kernel", "[1, inf)", [](i64 v) { max_pool3d(volumes(), {.kernel = v}); }},
      {"MaxPool3dOptions.stride", "[1, inf)", [](i64 v) { max_pool3d(volumes(), {.kernel = 2, .stride = v}); }},
      {"MaxPool3dOptions.padding", "[0, 2)", [](i64 v) { max_pool3d(volumes(), {.kernel = 2, .padding = v}); }},
      {"MaxPool3dOptions.dilation", "[1, inf)", [](i64 v) { max_pool3d(volumes(), {.kernel = 2, .dilation = v}); }},
      {"AvgPool1dOptions.kernel", "[1, inf)", [](i64 v) { avg_pool1d(three(), {.kernel = v}); }},
      {"AvgPool1dOptions.stride", "[1, inf)", [](i64 v) { avg_pool1d(three(), {.kernel = 2, .stride = v}); }},
      {"AvgPool1dOptions.padding", "[0, 2)", [](i64 v) { avg_pool1d(three(), {.kernel = 2, .padding = v}); }},
      {"AvgPool2dOptions.kernel", "[1, inf)", [](i64 v) { avg_pool2d(images(), {.kernel = v}); }},
      {"AvgPool2dOptions.stride", "[1, inf)", [](i64 v) { avg_pool2d(images(), {.kernel = 2, .stride = v}); }},
      {"AvgPool2dOptions.padding", "[0, 2)", [](i64 v) { avg_pool2d(images(), {.kernel = 2, .padding = v}); }},
      {"AvgPool2dOptions.divisor", "[0, inf)", [](i64 v) { avg_pool2d(images(), {.kernel = 2, .divisor = v}); }},
      {"AvgPool3dOptions.kernel", "[1, inf)", [](i64 v) { avg_pool3d(volumes(), {.kernel = v}); }},
      {"AvgPool3dOptions.stride", "[1, inf)", [](i64 v) { avg_pool3d(volumes(), {.kernel = 2, .stride = v}); }},
      {"AvgPool3dOptions.padding", "[0, 2)", [](i64 v) { avg_pool3d(volumes(), {.kernel = 2, .padding = v}); }},
      {"AvgPool3dOptions.divisor", "[0, inf)", [](i64 v) { avg_pool3d(volumes(), {.kernel = 2, .divisor = v}); }},
      {"LpPool1dOptions.kernel", "[1, inf)", [](i64 v) { lp_pool1d(three(), 2, {.kernel = v}); }},
      {"LpPool1dOptions.stride", "[1, inf)", [](i64 v) { lp_pool1d(three(), 2, {.kernel = 2, .stride = v}); }},
      {"LpPool2dOptions.kernel", "[1, inf)", [](i64 v) { lp_pool2d(images(), 2, {.kernel = v}); }},
      {"LpPool2dOptions.stride", "[1, inf)", [](i64 v) { lp_pool2d(images(), 2, {.kernel = 2, .stride = v}); }},
      {"LpPool3dOptions.kernel", "[1, inf)", [](i64 v) { lp_pool3d(volumes(), 2, {.kernel = v}); }},
      {"LpPool3dOptions.stride", "[1, inf)", [](i64 v) { lp_pool3d(volumes(), 2, {.kernel = 2, .stride = v}); }},
      {"FractionalMaxPool2dOptions.kernel", "[1, inf)",
       [](i64 v) { fractional_max_pool2d(images(), {.kernel = v, .size = 2}); }},
      {"FractionalMaxPool2dOptions.size", "[1, inf)",
       [](i64 v) { fractional_max_pool2d(images(), {.kernel = 2, .size = {v, 2}}); }},
      {"FractionalMaxPool3dOptions.kernel", "[1, inf)",
       [](i64 v) { fractional_max_pool3d(volumes(), {.kernel = v, .size = 1}); }},
      {"FractionalMaxPool3dOptions.size", "[1, inf)",
       [](i64 v) { fractional_max_pool3d(volumes(), {.kernel = 2, .size = v}); }},
      {"MaxUnpool1dOptions.kernel", "[1, inf)", [](i64 v) { max_unpool1d(three(), places({2, 2, 4}), {.kernel = v}); }},
      {"MaxUnpool1dOptions.stride", "[1, inf)",
       [](i64 v) { max_unpool1d(three(), places({2, 2, 4}), {.kernel = 2, .stride = v}); }},
      {"MaxUnpool1dOptions.padding", "[0, inf)",
       [](i64 v) { max_unpool1d(three(), places({2, 2, 4}), {.kernel = 2, .padding = v}); }},
      {"MaxUnpool1dOptions.size", "[1, inf)",
       [](i64 v) { max_unpool1d(three(), places({2, 2, 4}), {.kernel = 2, .size = {v}}); }, "", "cannot become"},
      {"MaxUnpool2dOptions.kernel", "[1, inf)",
       [](i64 v) { max_unpool2d(images(), places({1, 1, 4, 4}), {.kernel = v}); }},
      {"MaxUnpool2dOptions.stride", "[1, inf)",
       [](i64 v) { max_unpool2d(images(), places({1, 1, 4, 4}), {.kernel = 2, .stride = v}); }},
      {"MaxUnpool2dOptions.padding", "[0, inf)",
       [](i64 v) { max_unpool2d(images(), places({1, 1, 4, 4}), {.kernel = 2, .padding = v}); }},
      {"MaxUnpool2dOptions.size", "[1, inf)",
       [](i64 v) { max_unpool2d(images(), places({1, 1, 4, 4}), {.kernel = 2, .size = {8, v}}); }, "", "cannot become"},
      {"MaxUnpool3dOptions.kernel", "[1, inf)",
       [](i64 v) { max_unpool3d(volumes(), places({1, 1, 2, 2, 2}), {.kernel = v}); }},
      {"MaxUnpool3dOptions.stride", "[1, inf)",
       [](i64 v) { max_unpool3d(volumes(), places({1, 1, 2, 2, 2}), {.kernel = 2, .stride = v}); }},
      {"MaxUnpool3dOptions.padding", "[0, inf)",
       [](i64 v) { max_unpool3d(volumes(), places({1, 1, 2, 2, 2}), {.kernel = 2, .padding = v}); }},
      {"MaxUnpool3dOptions.size", "[1, inf)",
       [](i64 v) { max_unpool3d(volumes(), places({1, 1, 2, 2, 2}), {.kernel = 2, .size = {4, v, 4}}); }, "",
       "cannot become"},
  };
}

std::vector<OptionRow> images_and_boxes() {
  return {
      {"InterpolateOptions.size", "[1, inf)", [](i64 v) { interpolate(images(), {.size = {v, 1}}); }},
      {"InterpolateOptions.scale", "(0, inf)", [](double v) { interpolate(images(), {.scale = {v, 1}}); }, "",
       "resized"},
      {"RoiAlignOptions.size", "[0, 65536]", [](i64 v) { roi_align(images(), boxes(), {.size = v}); }},
      {"RoiAlignOptions.spatial_scale", "(0, inf)",
       [](double v) { roi_align(images(), boxes(), {.spatial_scale = v}); }},
      {"RoiAlignOptions.sampling_ratio", "[-inf, 65536]",
       [](i64 v) { roi_align(images(), boxes(), {.sampling_ratio = v}); }},
      {"RoiPoolOptions.size", "[0, 65536]", [](i64 v) { roi_pool(images(), boxes(), {.size = v}); }},
      {"RoiPoolOptions.spatial_scale", "(0, inf)", [](double v) { roi_pool(images(), boxes(), {.spatial_scale = v}); },
       "", "boxes"},
      {"PsRoiAlignOptions.size", "[0, 65536]", [](i64 v) { ps_roi_align(images(), boxes(), {.size = v}); }},
      {"PsRoiAlignOptions.spatial_scale", "(0, inf)",
       [](double v) { ps_roi_align(images(), boxes(), {.spatial_scale = v}); }},
      {"PsRoiAlignOptions.sampling_ratio", "[-inf, 65536]",
       [](i64 v) { ps_roi_align(images(), boxes(), {.sampling_ratio = v}); }},
      {"BoxLossOptions.eps", "[0, inf)", [](double v) { complete_box_iou_loss(corners(), corners(), {.eps = v}); }},
      {"BoxLossOptions.eps", "[0, inf)", [](double v) { generalized_box_iou_loss(corners(), corners(), {.eps = v}); }},
  };
}

std::vector<OptionRow> norms_and_networks() {
  return {
      {"BatchNormOptions.momentum", "[0, 1]",
       [](double v) { batch_norm(three(), {}, {}, zeros({2}), ones({2}), {.training = true, .momentum = v}); }},
      {"BatchNormOptions.eps", "(0, inf)",
       [](double v) { batch_norm(three(), {}, {}, zeros({2}), ones({2}), {.training = true, .eps = v}); }},
      {"InstanceNormOptions.momentum", "[0, 1]",
       [](double v) { instance_norm(three(), zeros({2}), ones({2}), {}, {}, {.momentum = v}); }},
      {"InstanceNormOptions.eps", "[0, inf)", [](double v) { instance_norm(three(), {}, {}, {}, {}, {.eps = v}); }},
      {"LocalResponseNormOptions.size", "[1, inf)", [](i64 v) { local_response_norm(three(), {.size = v}); }},
      {"LocalResponseNormOptions.alpha", "(-inf, inf)",
       [](double v) { local_response_norm(three(), {.size = 1, .alpha = v}); }},
      {"LocalResponseNormOptions.beta", "(-inf, inf)",
       [](double v) { local_response_norm(three(), {.size = 1, .beta = v}); }},
      {"LocalResponseNormOptions.k", "(-inf, inf)",
       [](double v) { local_response_norm(three(), {.size = 1, .k = v}); }},
      {"AttentionOptions.window", "[0, inf)",
       [](i64 v) { scaled_dot_product_attention(three(), three(), three(), {.window = v}); }},
      {"AttentionOptions.dropout", "[0, 1)",
       [](double v) { scaled_dot_product_attention(three(), three(), three(), {.dropout = v}); }},
      {"AttentionOptions.scale", "(-inf, inf)",
       [](double v) { scaled_dot_product_attention(three(), three(), three(), {.scale = v}); }},
      {"RecurrentOptions.dropout", "[0, 1]",
       [](double v) {
         rnn_tanh(three(), {}, {{{ones({4, 4}), ones({4, 4})}, {ones({4, 4}), ones({4, 4})}}}, {.dropout = v});
       }},
      {"RecurrentOptions.batch_sizes", "[1, 3)",
       [](i64 v) {
         const i64 sizes[] = {v};
         rnn_tanh(two(), {}, {{{ones({2, 2}), ones({2, 2})}}}, {.batch_sizes = sizes});
       }},
      {"RotaryTableOptions.base", "(0, inf)", [](double v) { rotary_tables(2, 4, {.base = v}); }},
      {"EmbeddingBagOptions.padding_index", "[-1, 2)",
       [](i64 v) { embedding_bag(two(), places({1, 2}), {}, {.padding_index = v}); }},
  };
}

std::vector<OptionRow> losses() {
  return {
      {"TokenLossOptions.ignore_index", "[-inf, inf]",
       [](i64 v) { token_loss(two(), classes(), {.ignore_index = v}); }},
      {"TokenLossOptions.label_smoothing", "[0, 1]",
       [](double v) { token_loss(two(), classes(), {.label_smoothing = v}); }},
      {"TokenLossOptions.z_loss", "[0, inf)", [](double v) { token_loss(two(), classes(), {.z_loss = v}); }},
      {"TokenLossOptions.soft_cap", "[0, inf)",
       [](double v) { linear_token_loss(two(), two(), {}, classes(), {.soft_cap = v}); }},
      {"CrossEntropyOptions.ignore_index", "[-inf, inf]",
       [](i64 v) { cross_entropy(two(), classes(), {.ignore_index = v}); }},
      {"CrossEntropyOptions.label_smoothing", "[0, 1]",
       [](double v) { cross_entropy(two(), classes(), {.label_smoothing = v}); }},
      {"NllOptions.ignore_index", "[-inf, inf]", [](i64 v) { nll_loss(two(), classes(), {.ignore_index = v}); }},
      {"CtcOptions.blank", "[0, 3)",
       [](i64 v) { ctc_loss(zeros({2, 1, 3}), ones({1, 1}, {.dtype = int64}), {2}, {1}, {.blank = v}); }},
      {"GaussianNllOptions.eps", "(0, inf)", [](double v) { gaussian_nll_loss(two(), two(), two(), {.eps = v}); }},
      {"PoissonNllOptions.eps", "[0, inf)",
       [](double v) { poisson_nll_loss(two(), two(), {.log_input = false, .eps = v}); }},
      {"FocalOptions.alpha", "(-inf, 1]", [](double v) { sigmoid_focal_loss(two(), two(), {.alpha = v}); }},
      {"FocalOptions.gamma", "[0, inf)", [](double v) { sigmoid_focal_loss(two(), two(), {.gamma = v}); }},
      {"DiceOptions.smooth", "[0, inf)", [](double v) { dice_loss(two(), two(), {.smooth = v}); }},
      {"MultiMarginOptions.p", "[1, 2]", [](double v) { multi_margin_loss(two(), classes(), {.p = v}); }},
      {"MultiMarginOptions.margin", "(-inf, inf)",
       [](double v) { multi_margin_loss(two(), classes(), {.margin = v}); }},
      {"TripletOptions.margin", "(0, inf)", [](double v) { triplet_margin_loss(two(), two(), two(), {.margin = v}); }},
      {"TripletOptions.p", "[-inf, inf]", [](double v) { triplet_margin_loss(two(), two(), two(), {.p = v}); },
       "the norms of the largest and least element"},
      {"TripletOptions.eps", "(-inf, inf)", [](double v) { triplet_margin_loss(two(), two(), two(), {.eps = v}); }},
      {"TripletDistanceOptions.margin", "(0, inf)",
       [](double v) { triplet_margin_with_distance_loss(two(), two(), two(), {.margin = v}); }},
  };
}

std::vector<OptionRow> statistics_and_transforms() {
  return {
      {"HistogramOptions.range", "(-inf, 3e6]", [](double v) { histogram(two(), 4, {.range = std::pair(v, 3e6)}); }, "",
       "limits"},
      {"HistogramOptions.range", "[-3e6, inf)", [](double v) { histogram(two(), 4, {.range = std::pair(-3e6, v)}); },
       "", "limits"},
      {"HistogramddOptions.ranges", "(-inf, 3e6]",
       [](double v) { histogramdd(two(), {2, 2}, {.ranges = {{v, 3e6}, {0, 1}}}); }, "", "limits"},
      {"SlopeOptions.dims", "[-2, 2)", [](i64 v) { gradient(two(), {.dims = {v}}); }},
      {"SlopeOptions.spacing", "nonzero", [](double v) { gradient(two(), {.spacing = {v}}); }},
      {"SlopeOptions.edge_order", "[1, 2]", [](int v) { gradient(ones({4, 4}), {.edge_order = v}); }},
      {"CovOptions.correction", "(-inf, inf)", [](double v) { cov(two(), {.correction = v}); }},
      {"DiffOptions.times", "[0, inf)", [](i64 v) { diff(two(), {.times = v}); }},
      {"DiffOptions.dim", "[-2, 2)", [](i64 v) { diff(two(), {.dim = v}); }},
      {"GumbelSoftmaxOptions.tau", "(0, inf)", [](double v) { gumbel_softmax(two(), {.tau = v}); }},
      {"GumbelSoftmaxOptions.dim", "[-2, 2)", [](i64 v) { gumbel_softmax(two(), {.dim = v}); }},
      {"LineOptions.n", "[1, inf)", [](i64 v) { fft::fft(two(), {.n = v}); }},
      {"LineOptions.dim", "[-2, 2)", [](i64 v) { fft::rfft(two(), {.dim = v}); }},
      {"ManyOptions.s", "[-1, inf)", [](i64 v) { fft::fftn(two(), {.s = Shape{v}}); }},
      {"ManyOptions.dims", "[-2, 2)", [](i64 v) { fft::fftn(two(), {.dims = Shape{v}}); }},
      {"PlaneOptions.s", "[-1, inf)", [](i64 v) { fft::fft2(two(), {.s = Shape{v, 2}}); }},
      {"PlaneOptions.dims", "[-2, 1)", [](i64 v) { fft::fft2(three(), {.dims = {v, 1}}); }},
      {"StftOptions.hop_length", "[1, inf)", [](i64 v) { stft(ones({9}), 4, {.hop_length = v}); }},
      {"StftOptions.win_length", "[1, inf)", [](i64 v) { stft(ones({9}), 4, {.win_length = v}); }},
      {"IstftOptions.hop_length", "[1, inf)",
       [](i64 v) { istft(zeros({5, 3}, {.dtype = complex64}), 8, {.hop_length = v}); }},
      {"IstftOptions.win_length", "[1, inf)",
       [](i64 v) { istft(zeros({5, 3}, {.dtype = complex64}), 8, {.win_length = v}); }},
      {"IstftOptions.length", "[0, inf)", [](i64 v) { istft(zeros({5, 3}, {.dtype = complex64}), 8, {.length = v}); }},
      {"NanToNumOptions.nan", "any", [](double v) { nan_to_num(two(), {.nan = v}); }, "what takes the place of NaN"},
      {"NanToNumOptions.posinf", "any", [](double v) { nan_to_num(two(), {.posinf = v}); }, "NaN: the largest number"},
      {"NanToNumOptions.neginf", "any", [](double v) { nan_to_num(two(), {.neginf = v}); }, "NaN: the least number"},
      {"IscloseOptions.rtol", "[0, inf]", [](double v) { isclose(two(), two(), {.rtol = v}); },
       "all finite numbers are close"},
      {"IscloseOptions.atol", "[0, inf]", [](double v) { isclose(two(), two(), {.atol = v}); },
       "all finite numbers are close"},
  };
}

TEST(Options, OfOpsAreChecked) {
  std::vector<OptionRow> rows;
  for (const auto& part :
       {convolutions(), pools(), images_and_boxes(), norms_and_networks(), losses(), statistics_and_transforms()})
    rows.insert(rows.end(), part.begin(), part.end());
  test::try_options("ops", rows);
}

}  // namespace
}  // namespace minima::ops_options_test
