#pragma once

#include <minima/minima.h>

#include <cstdint>
#include <mutex>

namespace minima::test {

/// Makes blocks of a layer and an activation, the same for all ranks: they are threads, which share the default
/// generator.
inline nn::Sequential layers(int count, std::int64_t width) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  manual_seed(3);
  nn::Sequential net;
  for (int i = 0; i < count; ++i)
    net.push_back(nn::Sequential(nn::Linear({.in = width, .out = width, .bias = i > 0}), nn::GELU()));
  return net;
}

}  // namespace minima::test
