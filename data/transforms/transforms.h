#pragma once

#include <minima/data/dataset.h>
#include <minima/data/images/decode.h>
#include <minima/data/images/geometry.h>
#include <minima/data/transforms/batch.h>
#include <minima/data/transforms/colour.h>

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

// Random changes of images, drawn from a sample's own stream (FetchContext::random). A transform is anything that can
// be called with (const Tensor& image, RandomStream&) and returns an image. One that can also be called with
// (ImageDecoder&, RandomStream&) gets the image of a file before it is decoded, where the dataset has it, and need not
// decode what it throws away; the result is the same. compose runs several one after the other:
//
//     auto train = with_transform(ImageFolder("train", {.least_side = 224}),
//                                 compose(RandomResizedCrop{.size = 224}, RandomHorizontalFlip{}));
//     DataLoader loader(train, {.batch_size = 64, .shuffle = true, .workers = 8});
//     for (auto& [images, labels] : loader) step(normalize_images(images.to(gpu), …), labels);

namespace minima::data {

/// To this length of the shorter side.
struct Resize {
  std::int64_t size = 256;
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream&) const;
};
/// The middle; a smaller image is padded with zeros.
struct CenterCrop {
  std::int64_t size = 224;
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream&) const;
};
/// Somewhere, after `padding` pixels of zeros were put round the image.
struct RandomCrop {
  std::int64_t size = 32;
  std::int64_t padding = 4;
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};
/// A box of a random part of the area and ratio of sides (uniform in its logarithm), resized: the crop of Inception.
struct RandomResizedCrop {
  std::int64_t size = 224;
  double least_area = 0.08, most_area = 1;
  double least_ratio = 3.0 / 4, most_ratio = 4.0 / 3;
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
  MINIMA_API Tensor operator()(ImageDecoder& image, RandomStream& random) const;
  /// What of an image of this size is drawn; whole pixels.
  MINIMA_API Box box(std::int64_t height, std::int64_t width, RandomStream& random) const;
};
/// Left to right with this probability.
struct RandomHorizontalFlip {
  double probability = 0.5;
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};
/// Top to bottom with this probability.
struct RandomVerticalFlip {
  double probability = 0.5;
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};
/// Factors uniform on 1 ± each value, hue's turn on ± its value, in random order.
struct ColorJitter {
  double brightness = 0, contrast = 0, saturation = 0, hue = 0;
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};
/// By an angle uniform on ± degrees.
struct RandomRotation {
  double degrees = 15;
  double fill = 0;
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};
/// Cubuk et al. 2020: so many of fourteen operations, each of the same magnitude out of 30.
struct RandAugment {
  int operations = 2;
  int magnitude = 9;
  double fill = 0;
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};

namespace detail {
/// The first of some transforms, on an image that is not decoded yet.
template <class Transform>
Tensor decode_through(const Transform& transform, ImageDecoder& image, RandomStream& random) {
  if constexpr (std::is_invocable_v<const Transform&, ImageDecoder&, RandomStream&>) return transform(image, random);
  else return transform(image.decode(), random);
}
}  // namespace detail

/// Transforms applied one after another.
template <class... Transforms>
struct Composed {
  std::tuple<Transforms...> transforms;
  Tensor operator()(const Tensor& image, RandomStream& random) const {
    Tensor result = image;
    std::apply([&](const auto&... transform) { ((result = transform(result, random)), ...); }, transforms);
    return result;
  }
  Tensor operator()(ImageDecoder& image, RandomStream& random) const requires(sizeof...(Transforms) > 0) {
    return std::apply(
        [&](const auto& first, const auto&... others) {
          Tensor result = detail::decode_through(first, image, random);
          ((result = others(result, random)), ...);
          return result;
        },
        transforms);
  }
};
/// Runs the transforms one after another.
template <class... Transforms>
Composed<Transforms...> compose(Transforms... transforms) {
  return {{std::move(transforms)...}};
}

/// A dataset with `get` whose samples' first tensor, the image, goes through a transform. A dataset whose
/// `get(index, make)` gives the sample whose image make(ImageDecoder&) has made decodes only what the transform needs.
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
      if (std::exchange(first, false)) tensor = transform_(tensor, random);
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
