#pragma once

#include <minima/data/sampling/random.h>
#include <minima/data/transforms/auto_augment.h>
#include <minima/data/transforms/distort.h>
#include <minima/data/transforms/to_tensor.h>
#include <minima/data/transforms/transforms.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

// The transforms of single images for whole batches, on the batch's device: images uint8 or float32 [B, H, W, C], after
// ToTensor float32 [B, C, H, W]. The host draws the random numbers, and copies them to the device without waiting for
// it.
//
//     const auto augment = on_batch(compose(RandomResizedCrop{.size = 224}, RandomHorizontalFlip{}, ToTensor{},
//                                           Normalize{{.49, .48, .45}, {.25, .24, .26}}, RandomErasing{}));
//     RandomStream random(seed);
//     for (auto& [images, labels] : loader) Tensor x = augment(images.to(gpu), random);
//
// A transform of your own joins in with an overload of transform_batch in its namespace.

namespace minima::data {

/// A random stream for each image of a batch.
using Streams = std::span<RandomStream>;

// Each is the transform of the same name, applied to every image with its own stream.
MINIMA_API Tensor transform_batch(const Resize& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const CenterCrop& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const RandomCrop& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const RandomResizedCrop& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const RandomHorizontalFlip& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const RandomVerticalFlip& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const ColorJitter& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const RandomRotation& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const RandomAffine& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const RandomPerspective& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const ElasticTransform& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const GaussianBlur& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const Pad& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const Grayscale& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const RandomGrayscale& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const RandomInvert& rule, const Tensor& images, Streams random);
// uint8 images of 1 or 3 channels.
MINIMA_API Tensor transform_batch(const RandAugment& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const AutoAugment& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const TrivialAugmentWide& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const AugMix& rule, const Tensor& images, Streams random);
/// The result is in channels_last order.
MINIMA_API Tensor transform_batch(const ToTensor& rule, const Tensor& images, Streams random);
MINIMA_API Tensor transform_batch(const Normalize& rule, const Tensor& x, Streams random);
/// The device draws `random_values`, with a seed from the first image's stream: they are not those of single images.
MINIMA_API Tensor transform_batch(const RandomErasing& rule, const Tensor& x, Streams random);

namespace detail {

/// The images at these places, as a batch of their own.
MINIMA_API Tensor take_images(const Tensor& x, std::span<const std::int64_t> places);
/// x with the images at these places replaced. Throws ShapeError if `images` are of another size.
MINIMA_API Tensor put_images(const Tensor& x, std::span<const std::int64_t> places, const Tensor& images);

/// x with those images changed by f(images, their streams) for which chosen(i) holds.
template <class Chosen, class F>
Tensor on_some(const Tensor& x, Streams random, Chosen&& chosen, F&& f) {
  std::vector<std::int64_t> places;
  std::vector<RandomStream> streams;
  for (std::size_t i = 0; i < random.size(); ++i)
    if (chosen(i)) places.push_back(static_cast<std::int64_t>(i)), streams.push_back(random[i]);
  if (places.empty()) return x;
  const bool is_all = places.size() == random.size();
  const Tensor y = f(is_all ? x : take_images(x, places), Streams(streams));
  for (std::size_t k = 0; k < places.size(); ++k) random[static_cast<std::size_t>(places[k])] = streams[k];
  return is_all ? y : put_images(x, places, y);
}

/// The transform of a tuple with this number.
template <class Tuple>
Tensor transform_batch_by(const Tuple& transforms, std::size_t number, const Tensor& x, Streams random) {
  Tensor result;
  std::apply(
      [&](const auto&... transform) {
        std::size_t next = 0;
        ((next++ == number ? void(result = transform_batch(transform, x, random)) : void()), ...);
      },
      transforms);
  return result;
}

/// A stream of its own for each image, from one.
MINIMA_API std::vector<RandomStream> streams_of(const Tensor& images, RandomStream& random);

}  // namespace detail

template <class... Transforms>
Tensor transform_batch(const Composed<Transforms...>& rule, const Tensor& images, Streams random) {
  Tensor result = images;
  std::apply([&](const auto&... transform) { ((result = transform_batch(transform, result, random)), ...); },
             rule.transforms);
  return result;
}
/// The transform must keep the images' size unless it applies to all.
template <class Transform>
Tensor transform_batch(const RandomApply<Transform>& rule, const Tensor& images, Streams random) {
  detail::check_probability("RandomApply", rule.probability);
  return detail::on_some(
      images, random, [&](std::size_t i) { return random[i].chance(rule.probability); },
      [&](const Tensor& some, Streams theirs) { return transform_batch(rule.transform, some, theirs); });
}
/// The transforms must keep the images' size.
template <class... Transforms>
Tensor transform_batch(const RandomChoice<Transforms...>& rule, const Tensor& images, Streams random) {
  std::vector<std::int64_t> choices;
  for (RandomStream& stream : random) choices.push_back(rule.choose(stream));
  Tensor result = images;
  for (std::size_t number = 0; number < sizeof...(Transforms); ++number)
    result = detail::on_some(
        result, random, [&](std::size_t i) { return choices[i] == static_cast<std::int64_t>(number); },
        [&](const Tensor& some, Streams theirs) {
          return detail::transform_batch_by(rule.transforms(), number, some, theirs);
        });
  return result;
}
/// The transforms must keep the images' size.
template <class... Transforms>
Tensor transform_batch(const RandomOrder<Transforms...>& rule, const Tensor& images, Streams random) {
  std::vector<std::array<std::size_t, sizeof...(Transforms)>> orders;
  for (RandomStream& stream : random) orders.push_back(rule.order(stream));
  Tensor result = images;
  for (std::size_t turn = 0; turn < sizeof...(Transforms); ++turn)
    for (std::size_t number = 0; number < sizeof...(Transforms); ++number)
      result = detail::on_some(
          result, random, [&](std::size_t i) { return orders[i][turn] == number; },
          [&](const Tensor& some, Streams theirs) {
            return detail::transform_batch_by(rule.transforms(), number, some, theirs);
          });
  return result;
}

/// A transform of single images for batches; made by `on_batch`.
template <class Transform>
struct OnBatch {
  Transform transform;
  /// Draws a key for each image.
  Tensor operator()(const Tensor& images, RandomStream& random) const {
    std::vector<RandomStream> streams = detail::streams_of(images, random);
    return transform_batch(transform, images, Streams(streams));
  }
};
/// Applies a transform of single images to a batch on its device. Image i becomes what the transform makes of it with
/// `RandomStream(key)`, where `key` is number i of the words `random.wide()` gives: uint8 values differ by 1 at most
/// where a transform rounds.
template <class Transform>
OnBatch<Transform> on_batch(Transform transform) {
  return {std::move(transform)};
}

}  // namespace minima::data
