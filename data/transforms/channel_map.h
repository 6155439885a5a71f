#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/dtype.h>

#include <cstdint>
#include <span>

namespace minima {
class Tensor;
}

namespace minima::data::detail {

/// y = x · scale + shift per channel, the innermost dimension of x.
struct ChannelMap {
  static constexpr int max_channels = 4;
  float scale[max_channels];
  float shift[max_channels];
  int channels;
};

/// (x / 255 - mean) / std. Throws the errors of normalize_images, starting with `what`.
ChannelMap channel_map(const char* what, std::int64_t count, std::span<const double> mean, std::span<const double> std,
                       const Tensor& x);

/// Launches the CUDA kernel on the current stream. Both tensors are dense, with the same memory order.
void map_channels_cuda(const ChannelMap& map, const std::uint8_t* x, void* y, std::int64_t count, DType y_dtype);

}  // namespace minima::data::detail
