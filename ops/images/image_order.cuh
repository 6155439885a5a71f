#pragma once

#include <minima/ops/images/images.h>
#include <minima/ops/loops/kernel.cuh>

namespace minima::detail {

/// The memory order of images: where channel c and pixel (h, w) of image n are, row-major or with the channels
/// innermost.
struct ImageOrder {
  std::int64_t channels, height, width;
  bool channels_last;

  struct Place {
    std::int64_t image, channel, h, w;
  };
  __device__ Place place(std::int64_t i) const {
    if (channels_last)
      return {i / channels / width / height, i % channels, i / channels / width % height, i / channels % width};
    return {i / width / height / channels, i / width / height % channels, i / width % height, i % width};
  }
  __device__ std::int64_t at(const Place& p, std::int64_t h, std::int64_t w) const {
    return channels_last ? ((p.image * height + h) * width + w) * channels + p.channel
                         : ((p.image * channels + p.channel) * height + h) * width + w;
  }
};

/// The order of a tensor that is channels_last or row-major.
inline ImageOrder order_of(const Tensor& images, bool channels_last) {
  const Shape& s = images.shape();
  return {s[1], s[2], s[3], channels_last};
}

/// Whether two tensors with the same memory order are NHWC; sizes of 1 may hide it in one of them.
inline bool is_last(const Tensor& a, const Tensor& b) {
  return wants_channels_last(a.layout()) || wants_channels_last(b.layout());
}

}  // namespace minima::detail
