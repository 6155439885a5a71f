#pragma once

#include <minima/data/dataset.h>
#include <minima/data/transforms/batch.h>
#include <minima/data/transforms/colour.h>
#include <minima/data/transforms/geometry.h>

#include <string>
#include <tuple>
#include <utility>

// Random changes of images, drawn from a sample's own stream (FetchContext::random). A transform is anything that can be
// called with (const Tensor& image, RandomStream&) and returns an image; compose runs several one after the other:
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
};
struct RandomHorizontalFlip {
  double probability = 0.5;
  MINIMA_API Tensor operator()(const Tensor& image, RandomStream& random) const;
};
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

template <class... Transforms>
struct Composed {
  std::tuple<Transforms...> transforms;
  Tensor operator()(const Tensor& image, RandomStream& random) const {
    Tensor result = image;
    std::apply([&](const auto&... transform) { ((result = transform(result, random)), ...); }, transforms);
    return result;
  }
};
template <class... Transforms>
Composed<Transforms...> compose(Transforms... transforms) {
  return {{std::move(transforms)...}};
}

/// A dataset with `get` whose samples' first tensor, the image, goes through a transform.
template <class Dataset, class Transform>
class Transformed {
 public:
  Transformed(Dataset dataset, Transform transform) : dataset_(std::move(dataset)), transform_(std::move(transform)) {}

  std::int64_t size() const { return dataset_.size(); }
  auto get(std::int64_t index, const FetchContext& context) const {
    auto sample = [&] {
      if constexpr (requires { dataset_.get(index, context); }) return dataset_.get(index, context);
      else return dataset_.get(index);
    }();
    RandomStream random = context.random(index);
    bool first = true;
    detail::for_each_tensor(sample, [&](Tensor& tensor) {
      if (std::exchange(first, false)) tensor = transform_(tensor, random);
    });
    return sample;
  }
  std::string describe(std::int64_t index) const {
    if constexpr (requires { dataset_.describe(index); }) return dataset_.describe(index);
    else return std::to_string(index);
  }
  const Dataset& dataset() const { return dataset_; }

 private:
  Dataset dataset_;
  Transform transform_;
};
template <class Dataset, class Transform>
Transformed<Dataset, Transform> with_transform(Dataset dataset, Transform transform) {
  return {std::move(dataset), std::move(transform)};
}

}  // namespace minima::data
