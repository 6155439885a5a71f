#pragma once

#include <minima/minima.h>

#include <cstdint>
#include <numbers>

/// `count` points on three interleaved spirals: inputs [count, 2], int64 labels [count]. Put your own data here:
/// a TensorDataset of tensors in memory, or one of the datasets that read files (data::FashionMnist,
/// data::ImageFolder).
inline minima::data::TensorDataset<2> spirals(std::int64_t count, std::uint64_t seed) {
  minima::RandomGenerator generator(seed);
  const minima::Tensor labels = minima::randint(0, 3, {count}, {}, &generator);
  const minima::Tensor radius = minima::rand({count}, {}, &generator);
  const minima::Tensor noise = 0.1 * minima::randn({count}, {}, &generator);
  const minima::Tensor angle = labels * (2 * std::numbers::pi / 3) + 4 * radius + noise;
  const minima::Tensor points = minima::stack({radius * minima::cos(angle), radius * minima::sin(angle)}, 1);
  return minima::data::TensorDataset(points, labels);
}
