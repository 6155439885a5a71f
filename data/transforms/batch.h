#pragma once

#include <minima/data/sampling/random.h>
#include <minima/tensor/tensor.h>

#include <span>
#include <utility>

// Transforms of whole batches, on their device.

namespace minima::data {

/// Converts and normalises images in one pass: y[b, c, h, w] = (x[b, h, w, c] / 255 - mean[c]) / std[c]. x uint8
/// [B, H, W, C] → [B, C, H, W] of a floating dtype in channels_last order. torchvision's ToTensor and Normalize; copy
/// the uint8 batch to the GPU and normalise it there. Throws ShapeError, DTypeError, or ValueError for a std that is
/// not positive.
MINIMA_API Tensor normalize_images(const Tensor& x, std::span<const double> mean, std::span<const double> std,
                                   DType dtype = DType::float32);
/// ImageNet's mean per channel, the usual choice for natural photographs.
inline constexpr double imagenet_mean[3] = {0.485, 0.456, 0.406};
/// ImageNet's standard deviation per channel.
inline constexpr double imagenet_std[3] = {0.229, 0.224, 0.225};

/// One-hot encoding: labels int64 [B] → [B, classes] with `on` at the label and `off` elsewhere. For label smoothing by
/// ε, pass on = 1 - ε + ε / classes and off = ε / classes.
MINIMA_API Tensor one_hot_targets(const Tensor& labels, std::int64_t classes, double on = 1, double off = 0,
                                  DType dtype = DType::float32);

/// The result of mixup and cutmix.
struct MixedBatch {
  Tensor images;
  Tensor targets;
};
/// Mixup (Zhang et al. 2018): λ x + (1 - λ) x', where x' is the next image in the batch and λ ~ Beta(α, α); the same
/// for targets. images [B, …] and targets [B, classes] (see one_hot_targets) are floating. torchvision's MixUp.
MINIMA_API MixedBatch mixup(const Tensor& images, const Tensor& targets, double alpha, RandomStream& random);
/// CutMix (Yun et al. 2019): pastes a random box of the next image that covers 1 - λ of the area, λ ~ Beta(α, α), and
/// mixes the targets by the area actually covered. images [B, C, H, W]. torchvision's CutMix.
MINIMA_API MixedBatch cutmix(const Tensor& images, const Tensor& targets, double alpha, RandomStream& random);
/// Draws from Beta(a, a).
MINIMA_API double draw_beta(double a, RandomStream& random);

namespace detail {
/// Draws from Gamma(shape, 1).
MINIMA_API double draw_gamma(double shape, RandomStream& random);
}  // namespace detail

}  // namespace minima::data
