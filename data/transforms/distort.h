#pragma once

#include <minima/data/images/geometry.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/apply.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

// Transforms of single images, uint8 or float32 [H, W, C] on the CPU, with torchvision's names and meaning. See
// transforms.h for what a transform is.

namespace minima::data {

/// 255 - x, or 1 - x for float32.
MINIMA_API Tensor invert(const Tensor& image);
/// The grey image 0.299 R + 0.587 G + 0.114 B with 1 or 3 equal channels.
MINIMA_API Tensor to_grayscale(const Tensor& image, int channels = 1);
/// A Gaussian of this standard deviation in pixels, cut off after `kernel` pixels (odd), with reflected borders.
/// torchvision's gaussian_blur. Throws ValueError for an even kernel or one too large for the border.
MINIMA_API Tensor gaussian_blur(const Tensor& image, std::int64_t kernel, double sigma);
/// The map of torchvision's affine: rotates clockwise by `degrees`, scales, shears by angles in degrees, then shifts by
/// pixels.
MINIMA_API Affine affine_map(double degrees, double shift_x, double shift_y, double scale, double shear_x = 0,
                             double shear_y = 0);
/// A point in pixels, from the upper left corner of the image.
struct Point {
  double x = 0, y = 0;
};
/// Moves the corners of the image (upper left, upper right, lower right, lower left) to other places; bilinear, and
/// pixels from outside are `fill`. torchvision's perspective with those corners' pixels as `startpoints`. Throws
/// ValueError if three of the corners are on a line.
MINIMA_API Tensor perspective(const Tensor& image, const std::array<Point, 4>& corners, double fill = 0);
namespace detail {
/// The projection of `perspective`: where the pixel at (x, y), counted from the outer corner of the first, comes from,
/// as rows of a matrix for (x, y, 1).
MINIMA_API std::array<double, 9> perspective_map(std::int64_t height, std::int64_t width,
                                                 const std::array<Point, 4>& corners);
}  // namespace detail

/// Adds borders of a constant.
struct Pad {
  std::int64_t left = 0, top = 0, right = 0, bottom = 0;
  double fill = 0;
  MINIMA_API Tensor operator()(const Tensor& image) const;
  Tensor operator()(const Tensor& image, RandomStream&) const { return (*this)(image); }
};
/// to_grayscale as a transform.
struct Grayscale {
  int channels = 1;  ///< 1 or 3: torchvision's `num_output_channels`
  Tensor operator()(const Tensor& image) const { return to_grayscale(image, channels); }
  Tensor operator()(const Tensor& image, RandomStream&) const { return (*this)(image); }
};
/// Grey with a probability, with as many channels as before.
struct RandomGrayscale {
  double probability = 0.1;
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};
/// gaussian_blur with a random standard deviation.
struct GaussianBlur {
  std::int64_t kernel = 3;
  Interval sigma = {0.1, 2};  ///< uniform
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};
/// Rotates, shifts, scales and shears at random, bilinear.
struct RandomAffine {
  double degrees = 0;                       ///< uniform on ±degrees
  double translate_x = 0, translate_y = 0;  ///< fractions of width and height, uniform on ±
  Interval scale = {1, 1};                  ///< uniform
  double shear_x = 0, shear_y = 0;          ///< degrees, uniform on ±
  double fill = 0;                          ///< value of pixels from outside the image
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
  /// Draws the map for an image of this size.
  MINIMA_API Affine map(std::int64_t height, std::int64_t width, RandomStream& random) const;
};
/// Moves each corner inwards by up to `distortion` times half the side, with a convex result.
struct RandomPerspective {
  double distortion = 0.5;  ///< 0 … 1: torchvision's `distortion_scale`
  double probability = 0.5;
  double fill = 0;  ///< value of pixels from outside the image
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
  /// Draws the corners for an image of this size, or none if it stays as it is.
  MINIMA_API std::optional<std::array<Point, 4>> corners(std::int64_t height, std::int64_t width,
                                                         RandomStream& random) const;
};
/// Moves pixels by smooth random fields (Simard et al. 2003), bilinear: noise uniform on ±1, blurred with standard
/// deviation `sigma`, times `alpha` pixels. torchvision's ElasticTransform.
struct ElasticTransform {
  double alpha = 50;
  double sigma = 5;
  double fill = 0;  ///< value of pixels from outside the image
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};
/// invert with a probability.
struct RandomInvert {
  double probability = 0.5;
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};

/// Applies a transform, such as a composition, with a probability.
template <class Transform>
struct RandomApply {
  Transform transform;
  double probability = 0.5;
  Tensor operator()(const Tensor& image, RandomStream& random) const {
    detail::check_probability("RandomApply", probability);
    return random.chance(probability) ? detail::apply_transform(transform, image, random) : image;
  }
};
template <class Transform>
RandomApply(Transform, double = 0.5) -> RandomApply<Transform>;

/// Applies the transforms in random order.
template <class... Transforms>
class RandomOrder {
 public:
  explicit RandomOrder(Transforms... transforms) : transforms_(std::move(transforms)...) {}
  Tensor operator()(const Tensor& image, RandomStream& random) const {
    Tensor result = image;
    for (const std::size_t next : order(random))
      result = apply(result, random, next, std::index_sequence_for<Transforms...>());
    return result;
  }
  std::array<std::size_t, sizeof...(Transforms)> order(RandomStream& random) const {
    std::array<std::size_t, sizeof...(Transforms)> order;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto j = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i) + 1));
      order[i] = order[j];
      order[j] = i;
    }
    return order;
  }
  const std::tuple<Transforms...>& transforms() const { return transforms_; }

 private:
  template <std::size_t... I>
  Tensor apply(const Tensor& image, RandomStream& random, std::size_t next, std::index_sequence<I...>) const {
    Tensor result;
    ((I == next ? void(result = detail::apply_transform(std::get<I>(transforms_), image, random)) : void()), ...);
    return result;
  }
  std::tuple<Transforms...> transforms_;
};

/// Applies one of the transforms, each as likely as the others: `RandomChoice(Grayscale{3}, RandomInvert{1})`.
template <class... Transforms>
class RandomChoice {
 public:
  explicit RandomChoice(Transforms... transforms) : transforms_(std::move(transforms)...) {}
  Tensor operator()(const Tensor& image, RandomStream& random) const {
    return apply(image, random, choose(random), std::index_sequence_for<Transforms...>());
  }
  std::int64_t choose(RandomStream& random) const { return random.below(sizeof...(Transforms)); }
  const std::tuple<Transforms...>& transforms() const { return transforms_; }

 private:
  template <std::size_t... I>
  Tensor apply(const Tensor& image, RandomStream& random, std::int64_t chosen, std::index_sequence<I...>) const {
    Tensor result;
    ((static_cast<std::int64_t>(I) == chosen
          ? void(result = detail::apply_transform(std::get<I>(transforms_), image, random))
          : void()),
     ...);
    return result;
  }
  std::tuple<Transforms...> transforms_;
};

}  // namespace minima::data
