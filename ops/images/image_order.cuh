#pragma once

#include <minima/ops/images/images.h>
#include <minima/ops/loops/geometry.h>
#include <minima/ops/loops/loop_device.cuh>

namespace minima::detail {

/// n / divisor, without a 64-bit division where numbers allow it.
struct IndexDivider {
  std::int64_t divisor = 1;
  pointwise::Divider narrow;
  bool is_narrow = false;

  IndexDivider() = default;
  /// For numbers up to `largest`.
  IndexDivider(std::int64_t divisor, std::int64_t largest)
      : divisor(divisor), is_narrow(largest <= INT32_MAX && divisor > 0 && divisor <= INT32_MAX) {
    if (is_narrow) narrow = pointwise::Divider(static_cast<std::uint32_t>(divisor));
  }
  __device__ std::int64_t quotient(std::int64_t n) const {
    return is_narrow ? pointwise::divide(static_cast<std::uint32_t>(n), narrow) : n / divisor;
  }
};

/// The memory order of images: where channel c and pixel (h, w) of image n are, row-major or with the channels
/// innermost.
struct ImageOrder {
  std::int64_t channels, height, width;
  bool channels_last;
  IndexDivider by_channels, by_height, by_width;

  struct Place {
    std::int64_t image, channel, h, w;
  };
  __device__ Place place(std::int64_t i) const {
    Place p;
    if (channels_last) i = split(i, by_channels, p.channel);
    i = split(i, by_width, p.w);
    i = split(i, by_height, p.h);
    if (!channels_last) i = split(i, by_channels, p.channel);
    p.image = i;
    return p;
  }
  __device__ std::int64_t at(const Place& p, std::int64_t h, std::int64_t w) const {
    return channels_last ? ((p.image * height + h) * width + w) * channels + p.channel
                         : ((p.image * channels + p.channel) * height + h) * width + w;
  }

 private:
  static __device__ std::int64_t split(std::int64_t i, const IndexDivider& by, std::int64_t& rest) {
    const std::int64_t quotient = by.quotient(i);
    rest = i - quotient * by.divisor;
    return quotient;
  }
};

/// The order of a tensor that is channels_last or row-major, for its elements or, channels_last, for packs of channels.
inline ImageOrder order_of(const Tensor& images, bool channels_last, std::int64_t pack = 1) {
  const Shape& s = images.shape();
  const std::int64_t channels = s[1] / pack, largest = images.numel();
  return {channels, s[2], s[3], channels_last, {channels, largest}, {s[2], largest}, {s[3], largest}};
}

/// Whether two tensors with the same memory order are NHWC; sizes of 1 may hide it in one of them.
inline bool is_last(const Tensor& a, const Tensor& b) {
  return wants_channels_last(a.layout()) || wants_channels_last(b.layout());
}

}  // namespace minima::detail
