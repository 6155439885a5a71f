#pragma once

#include <minima/data/dataset.h>
#include <minima/data/images/decode.h>
#include <minima/data/images/geometry.h>
#include <minima/data/transforms/apply.h>
#include <minima/data/transforms/batch.h>
#include <minima/data/transforms/colour.h>

#include <array>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

// Image transforms with the names and meaning of torchvision.transforms. Images are uint8 or float32 [H, W, C]. A
// transform is any callable that takes (const Tensor& image, RandomStream&), or the image alone, and returns an image;
// it draws from the sample's random stream (FetchContext::random). Those that draw nothing can be called with the image
// alone, as when serving: `compose(Resize{256}, CenterCrop{224}, ToTensor{})(image)`. If it also takes (ImageDecoder&,
// RandomStream&), it gets an image file before decoding and can decode only the part it needs, with the same result.
// compose chains transforms:
//
//     auto train = with_transform(ImageFolder("train", {.min_side = 224}),
//                                 compose(RandomResizedCrop{.size = 224}, RandomHorizontalFlip{}));
//     DataLoader loader(train, {.batch_size = 64, .shuffle = true, .workers = 8});
//     for (auto& [images, labels] : loader) step(normalize_images(images.to(gpu), …), labels);
//
// A call throws ValueError for options out of range: probabilities and fractions of a side are from 0 to 1, ranges and
// angles finite and not negative, and `fill` is from 0 to 255 for uint8 images.

namespace minima::data {

/// Describes the images that Resize makes: their shorter side is that long, or they are `{height, width}`.
struct ResizeSize {
  constexpr ResizeSize(std::int64_t shorter_side) : height(shorter_side), width(shorter_side), keeps_ratio(true) {}
  constexpr ResizeSize(std::int64_t height, std::int64_t width) : height(height), width(width) {}
  std::int64_t height, width;
  bool keeps_ratio = false;
  /// The size of the result. Throws ValueError unless all sides are at least 1.
  MINIMA_API std::array<std::int64_t, 2> of(std::int64_t image_height, std::int64_t image_width) const;
};
/// Scales an image so that its shorter side is `size` pixels long, or with `{.size = {48, 64}}` to this height and
/// width: bilinear with antialiasing. torchvision's Resize with an int or a pair.
struct Resize {
  ResizeSize size = 256;
  MINIMA_API Tensor operator()(const Tensor& image) const;
  Tensor operator()(const Tensor& image, RandomStream&) const { return (*this)(image); }
};
/// Crops the centre, `size` × `size` pixels, starting at (n - size) / 2 rounded half to even; pads a smaller image with
/// zeros, the odd one below and at the right. torchvision's CenterCrop.
struct CenterCrop {
  std::int64_t size = 224;
  MINIMA_API Tensor operator()(const Tensor& image) const;
  Tensor operator()(const Tensor& image, RandomStream&) const { return (*this)(image); }
};
/// Pads every side with zeros, then crops `size` × `size` pixels at a random position. torchvision's RandomCrop.
/// Throws ShapeError if the padded image is smaller than the crop.
struct RandomCrop {
  std::int64_t size = 32;
  std::int64_t padding = 4;  ///< pixels
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};
/// Crops a box of random area and aspect ratio and resizes it to `size` × `size`, as in Inception. torchvision's
/// RandomResizedCrop with antialiasing.
struct RandomResizedCrop {
  std::int64_t size = 224;
  Interval scale = {0.08, 1};           ///< fraction of the image's area, uniform
  Interval ratio = {3.0 / 4, 4.0 / 3};  ///< width / height, log-uniform
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
  MINIMA_API Tensor operator()(ImageDecoder& image, RandomStream& random) const;
  /// Draws the box for an image of this size, in whole pixels.
  MINIMA_API Box box(std::int64_t height, std::int64_t width, RandomStream& random) const;
};
/// Mirrors left and right. torchvision's RandomHorizontalFlip.
struct RandomHorizontalFlip {
  double probability = 0.5;
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};
/// Mirrors top and bottom. torchvision's RandomVerticalFlip.
struct RandomVerticalFlip {
  double probability = 0.5;
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};
/// Changes brightness, contrast, saturation and hue in random order. torchvision's ColorJitter.
struct ColorJitter {
  double brightness = 0, contrast = 0, saturation = 0;  ///< v ≤ 10⁶: a factor uniform on [max(0, 1 - v), 1 + v]
  double hue = 0;                                       ///< h: a shift uniform on [-h, h], at most 0.5
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;

  struct Change {
    std::array<double, 4> values;  ///< the factors of brightness, contrast and saturation, and the shift of the hue
    std::array<int, 4> order;      ///< positions in `values`
  };
  MINIMA_API Change draw(RandomStream& random) const;
};
/// Rotates about the centre, bilinear, by an angle uniform on [-degrees, degrees]. torchvision's RandomRotation.
struct RandomRotation {
  double degrees = 15;
  double fill = 0;  ///< value of pixels from outside the image
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};
/// Applies randomly chosen operations out of fourteen, all of one magnitude (Cubuk et al. 2020). torchvision's
/// RandAugment with 31 magnitude bins, but warps are bilinear.
struct RandAugment {
  int operations = 2;  ///< number applied, at most 1000: torchvision's `num_ops`
  int magnitude = 9;   ///< 0 … 30
  double fill = 0;     ///< value of pixels from outside the image
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};

namespace detail {
/// Applies a transform to an image file, before decoding if the transform can.
template <class Transform>
Tensor decode_through(const Transform& transform, ImageDecoder& image, RandomStream& random) {
  if constexpr (std::is_invocable_v<const Transform&, ImageDecoder&, RandomStream&>) return transform(image, random);
  else return apply_transform(transform, image.decode(), random);
}
/// A transform that draws nothing, so that the image is all it needs.
template <class Transform>
concept DrawsNothing = std::is_invocable_v<const Transform&, const Tensor&>;
}  // namespace detail

/// Transforms in sequence; made by `compose`.
template <class... Transforms>
struct Composed {
  std::tuple<Transforms...> transforms;
  Tensor operator()(const Tensor& image, RandomStream& random) const {
    Tensor result = image;
    std::apply([&](const auto&... transform) { ((result = detail::apply_transform(transform, result, random)), ...); },
               transforms);
    return result;
  }
  /// Applies transforms that draw nothing.
  Tensor operator()(const Tensor& image) const requires(detail::DrawsNothing<Transforms> && ...) {
    Tensor result = image;
    std::apply([&](const auto&... transform) { ((result = transform(result)), ...); }, transforms);
    return result;
  }
  Tensor operator()(ImageDecoder& image, RandomStream& random) const requires(sizeof...(Transforms) > 0) {
    return std::apply(
        [&](const auto& first, const auto&... others) {
          Tensor result = detail::decode_through(first, image, random);
          ((result = detail::apply_transform(others, result, random)), ...);
          return result;
        },
        transforms);
  }
};
/// Applies the transforms one after the other. torchvision's Compose.
template <class... Transforms>
Composed<Transforms...> compose(Transforms... transforms) {
  return {{std::move(transforms)...}};
}

/// A dataset with `get`, with a transform applied to the first tensor of each sample, the image. If the dataset has
/// `get(index, make)`, where make(ImageDecoder&) returns the sample's image, only the pixels that the transform needs
/// are decoded.
template <class Dataset, class Transform>
class Transformed {
 public:
  Transformed(Dataset dataset, Transform transform) : dataset_(std::move(dataset)), transform_(std::move(transform)) {}

  std::int64_t size() const { return dataset_.size(); }
  auto get(std::int64_t index, const FetchContext& context) const {
    RandomStream random = context.random(index);
    const auto make = [&](ImageDecoder& image) { return detail::decode_through(transform_, image, random); };
    if constexpr (requires { dataset_.get(index, make); }) return dataset_.get(index, make);
    else return transformed(index, context, random);
  }
  /// Returns the sample of a transform that draws nothing, on a dataset that does not either.
  auto get(std::int64_t index) const requires(detail::DrawsNothing<Transform>) { return get(index, FetchContext{}); }
  std::string describe(std::int64_t index) const {
    if constexpr (requires { dataset_.describe(index); }) return dataset_.describe(index);
    else return std::to_string(index);
  }
  const Dataset& dataset() const { return dataset_; }

 private:
  auto transformed(std::int64_t index, const FetchContext& context, RandomStream& random) const {
    auto sample = [&] {
      if constexpr (requires { dataset_.get(index, context); }) return dataset_.get(index, context);
      else return dataset_.get(index);
    }();
    bool first = true;
    detail::for_each_tensor(sample, [&](Tensor& tensor) {
      if (std::exchange(first, false)) tensor = detail::apply_transform(transform_, tensor, random);
    });
    return sample;
  }
  Dataset dataset_;
  Transform transform_;
};
/// Transformed(dataset, transform), as a function.
template <class Dataset, class Transform>
Transformed<Dataset, Transform> with_transform(Dataset dataset, Transform transform) {
  return {std::move(dataset), std::move(transform)};
}

}  // namespace minima::data
