#pragma once

#include <torch/nn/functional/activation.h>
#include <torch/nn/functional/batchnorm.h>
#include <torch/nn/functional/conv.h>
#include <torch/nn/functional/dropout.h>
#include <torch/nn/functional/embedding.h>
#include <torch/nn/functional/instancenorm.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/functional/normalization.h>
#include <torch/nn/functional/padding.h>
#include <torch/nn/functional/upsampling.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

// Functions with positional arguments in place of options. They are internal in LibTorch; modules written after its own
// call those that are here.

namespace torch::nn::functional::detail {

#define MINIMA_TORCH_DROPOUT(name, Options)                                                        \
  inline Tensor name(Tensor input, double p, bool training, bool inplace) {                        \
    return functional::name(std::move(input), Options().p(p).training(training).inplace(inplace)); \
  }
MINIMA_TORCH_DROPOUT(dropout, DropoutFuncOptions)
MINIMA_TORCH_DROPOUT(dropout2d, DropoutFuncOptions)
MINIMA_TORCH_DROPOUT(dropout3d, DropoutFuncOptions)
MINIMA_TORCH_DROPOUT(alpha_dropout, AlphaDropoutFuncOptions)
MINIMA_TORCH_DROPOUT(feature_alpha_dropout, FeatureAlphaDropoutFuncOptions)
#undef MINIMA_TORCH_DROPOUT

#define MINIMA_TORCH_CONV(D)                                                                                        \
  inline Tensor conv##D##d(const Tensor& input, const Tensor& weight, const Tensor& bias, ExpandingArray<D> stride, \
                           const Conv##D##dFuncOptions::padding_t& padding, ExpandingArray<D> dilation,             \
                           int64_t groups) {                                                                        \
    return functional::conv##D##d(                                                                                  \
        input, weight,                                                                                              \
        Conv##D##dFuncOptions().bias(bias).stride(stride).padding(padding).dilation(dilation).groups(groups));      \
  }
MINIMA_TORCH_CONV(1)
MINIMA_TORCH_CONV(2)
MINIMA_TORCH_CONV(3)
#undef MINIMA_TORCH_CONV

inline Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                         const Tensor& weight, const Tensor& bias, bool training, double momentum, double eps) {
  return functional::batch_norm(
      input, running_mean, running_var,
      BatchNormFuncOptions().weight(weight).bias(bias).training(training).momentum(momentum).eps(eps));
}

inline Tensor instance_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                            const Tensor& weight, const Tensor& bias, bool use_input_stats, double momentum,
                            double eps) {
  return functional::instance_norm(input, InstanceNormFuncOptions()
                                              .running_mean(running_mean)
                                              .running_var(running_var)
                                              .weight(weight)
                                              .bias(bias)
                                              .use_input_stats(use_input_stats)
                                              .momentum(momentum)
                                              .eps(eps));
}

inline Tensor layer_norm(const Tensor& input, const std::vector<int64_t>& normalized_shape, const Tensor& weight,
                         const Tensor& bias, double eps) {
  return functional::layer_norm(input, LayerNormFuncOptions(normalized_shape).weight(weight).bias(bias).eps(eps));
}

inline Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<int64_t> padding_idx,
                        std::optional<double> max_norm, double norm_type, bool scale_grad_by_freq, bool sparse) {
  return functional::embedding(input, weight,
                               EmbeddingFuncOptions()
                                   .padding_idx(padding_idx)
                                   .max_norm(max_norm)
                                   .norm_type(norm_type)
                                   .scale_grad_by_freq(scale_grad_by_freq)
                                   .sparse(sparse));
}

inline Tensor pad(const Tensor& input, IntArrayRef pad, PadFuncOptions::mode_t mode, double value) {
  return functional::pad(input, PadFuncOptions(pad.vec()).mode(mode).value(value));
}

inline Tensor softmax(const Tensor& input, int64_t dim, std::optional<Dtype> dtype) {
  return functional::softmax(input, SoftmaxFuncOptions(dim).dtype(dtype));
}

inline Tensor log_softmax(const Tensor& input, int64_t dim, std::optional<Dtype> dtype) {
  return functional::log_softmax(input, LogSoftmaxFuncOptions(dim).dtype(dtype));
}

inline Tensor mse_loss(const Tensor& input, const Tensor& target, MSELossFuncOptions::reduction_t reduction) {
  return functional::mse_loss(input, target, MSELossFuncOptions().reduction(reduction));
}

inline Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight, int64_t ignore_index,
                            CrossEntropyFuncOptions::reduction_t reduction, double label_smoothing) {
  return functional::cross_entropy(input, target,
                                   CrossEntropyFuncOptions()
                                       .weight(weight)
                                       .ignore_index(ignore_index)
                                       .reduction(reduction)
                                       .label_smoothing(label_smoothing));
}

inline Tensor interpolate(const Tensor& input, const std::optional<std::vector<int64_t>>& size,
                          const std::optional<std::vector<double>>& scale_factor, InterpolateFuncOptions::mode_t mode,
                          std::optional<bool> align_corners, std::optional<bool> recompute_scale_factor,
                          bool antialias) {
  return functional::interpolate(input, InterpolateFuncOptions()
                                            .size(size)
                                            .scale_factor(scale_factor)
                                            .mode(mode)
                                            .align_corners(align_corners)
                                            .recompute_scale_factor(recompute_scale_factor)
                                            .antialias(antialias));
}

}
