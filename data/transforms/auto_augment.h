#pragma once

#include <minima/data/sampling/random.h>
#include <minima/tensor/tensor.h>

// Augmentation policies of torchvision.transforms for images uint8 [H, W, C]. Warps are bilinear.

namespace minima::data {

/// Two operations in turn, from one of the 25 pairs that were found best for a data set (Cubuk et al. 2019).
/// torchvision's AutoAugment.
struct AutoAugment {
  enum class Policy : std::uint8_t { imagenet, cifar10, svhn };
  Policy policy = Policy::imagenet;
  double fill = 0;  ///< value of pixels from outside the image
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};

/// One random operation of a random magnitude (Müller and Hutter 2021). torchvision's TrivialAugmentWide.
struct TrivialAugmentWide {
  int bins = 31;    ///< the number of magnitudes, at least 2: torchvision's `num_magnitude_bins`
  double fill = 0;  ///< value of pixels from outside the image
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};

/// A random mixture of the image and of `width` chains of random operations on it (Hendrycks et al. 2020).
/// torchvision's AugMix.
struct AugMix {
  int severity = 3;     ///< 1 … 10
  int width = 3;        ///< from 1 to 1000: torchvision's `mixture_width`
  int depth = 0;        ///< operations in a chain, at most 1000; 0 draws 1 to 3: torchvision's `chain_depth`
  double alpha = 1;     ///< of the mixture's Dirichlet and Beta distributions
  bool all_ops = true;  ///< with brightness, colour, contrast and sharpness
  double fill = 0;      ///< value of pixels from outside the image
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};

}  // namespace minima::data
