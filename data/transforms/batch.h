#pragma once

#include <minima/data/sampling/random.h>
#include <minima/tensor/tensor.h>

#include <span>
#include <utility>

// What is done with whole batches, on the device that they are on.

namespace minima::data {

/// Images as bytes into what a network takes, in one pass: y[b, c, h, w] = (x[b, h, w, c] / 255 - mean[c]) / std[c].
/// x uint8 [B, H, W, C] → [B, C, H, W] of a floating dtype in channels_last order, so that bytes are all that crosses
/// to a GPU and nothing is moved about there. Throws ShapeError, DTypeError, or ValueError for a std that is not
/// positive.
MINIMA_API Tensor normalize_images(const Tensor& x, std::span<const double> mean, std::span<const double> std,
                                   DType dtype = DType::float32);
/// ImageNet's mean per channel, the usual choice for natural photographs.
inline constexpr double imagenet_mean[3] = {0.485, 0.456, 0.406};
/// ImageNet's standard deviation per channel.
inline constexpr double imagenet_std[3] = {0.229, 0.224, 0.225};

/// labels int64 [B] → dtype [B, classes]: `on` at the label, `off` elsewhere. Label smoothing by ε is
/// on = 1 - ε + ε / classes, off = ε / classes.
MINIMA_API Tensor one_hot_targets(const Tensor& labels, std::int64_t classes, double on = 1, double off = 0,
                                  DType dtype = DType::float32);

/// Images and the targets that belong to them, such as those of one_hot_targets.
struct MixedBatch {
  Tensor images;
  Tensor targets;
};
/// Zhang et al. 2018: λ x + (1 - λ) x', where x' is the next image of the batch and λ ~ Beta(α, α); targets alike.
/// images of a floating dtype [B, …].
MINIMA_API MixedBatch mixup(const Tensor& images, const Tensor& targets, double alpha, RandomStream& random);
/// Yun et al. 2019: a random box of the next image is pasted in, of a part 1 - λ of the area; targets are mixed by the
/// part that it really has. images [B, C, H, W].
MINIMA_API MixedBatch cutmix(const Tensor& images, const Tensor& targets, double alpha, RandomStream& random);
/// A draw from Beta(a, a).
MINIMA_API double draw_beta(double a, RandomStream& random);

}  // namespace minima::data
