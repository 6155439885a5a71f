#pragma once

#include <minima/ops/convolution/images.h>
#include <minima/ops/loops/geometry.h>
#include <minima/tensor/tensor.h>
#include <minima/ops/loops/loop_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>
#include <cstring>
#include <vector>

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

// Small tables that the host computes for a kernel travel as arguments of a launch: without a copy from pageable
// memory, for which the host would wait, and which a graph cannot capture.

/// Part of a table.
template <unsigned most>
struct TablePart {
  std::uint32_t words[most];
};

template <unsigned most>
__global__ void __launch_bounds__(256)
    store_table_kernel(const TablePart<most> part, std::uint32_t count, std::uint32_t* table) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) table[i] = part.words[i];
}

template <unsigned most>
void store_table(const std::uint32_t* words, std::int64_t count, std::uint32_t* table) {
  for (std::int64_t first = 0; first < count; first += most) {
    const auto present = static_cast<std::uint32_t>(std::min<std::int64_t>(most, count - first));
    TablePart<most> part{};
    std::memcpy(part.words, words + first, present * sizeof(std::uint32_t));
    cuda::launch("store_table", cuda::grid_for(present), store_table_kernel<most>, part, present, table + first);
  }
}

/// The values, of four or eight bytes each, on a GPU.
template <class T>
Tensor table_of(const std::vector<T>& values, const Shape& shape, Device device) {
  const Tensor table = empty(shape, {.dtype = dtype_of<T>, .device = device});
  std::vector<std::uint32_t> words(values.size() * sizeof(T) / sizeof(std::uint32_t));
  if (words.empty()) return table;
  std::memcpy(words.data(), values.data(), values.size() * sizeof(T));
  constexpr unsigned few = 256, many = 4096;  // 1 and 16 KiB
  auto* const to = static_cast<std::uint32_t*>(table.raw_data());
  const auto count = static_cast<std::int64_t>(words.size());
  if (count <= few) store_table<few>(words.data(), count, to);
  else store_table<many>(words.data(), count, to);
  return table;
}

}  // namespace minima::detail
