#pragma once

#include <minima/tensor/api.h>
#include <minima/tensor/dtype.h>

#include <cstdint>
#include <span>

namespace minima {
class Tensor;
}

namespace minima::data::detail {

/// y = x · scale + shift by channel, the innermost dimension of x.
struct ChannelMap {
  static constexpr int most_channels = 4;
  float scale[most_channels];
  float shift[most_channels];
  int channels;
};

/// (x / 255 - mean) / std; throws what normalize_images throws, starting with `what`.
ChannelMap channel_map(const char* what, std::int64_t count, std::span<const double> mean, std::span<const double> std, const Tensor& x);

/// Elements 4 · group … of `count`. Bytes are read four at a time, and what they become is written in one piece; x is
/// aligned to 4 bytes, y to 4 elements.
template <class T>
MINIMA_HD inline void map_group(const ChannelMap& map, const std::uint8_t* x, T* y, std::int64_t group, std::int64_t count) {
  struct alignas(4 * sizeof(T)) Four {
    T value[4];
  };
  const std::int64_t first = 4 * group;
  int channel = static_cast<int>(first % map.channels);
  if (first + 4 <= count) {
    const std::uint32_t bytes = *reinterpret_cast<const std::uint32_t*>(x + first);
    Four out;
    for (int i = 0; i < 4; ++i) {
      out.value[i] = static_cast<T>(static_cast<float>(bytes >> 8 * i & 0xFFu) * map.scale[channel] + map.shift[channel]);
      channel = channel + 1 == map.channels ? 0 : channel + 1;
    }
    *reinterpret_cast<Four*>(y + first) = out;
    return;
  }
  for (std::int64_t i = first; i < count; ++i) {
    y[i] = static_cast<T>(static_cast<float>(x[i]) * map.scale[channel] + map.shift[channel]);
    channel = channel + 1 == map.channels ? 0 : channel + 1;
  }
}

/// The CUDA kernel's launch, on the current stream: both tensors are dense and of one order of memory.
void map_channels_cuda(const ChannelMap& map, const std::uint8_t* x, void* y, std::int64_t count, DType y_dtype);

}  // namespace minima::data::detail
