#include <minima/data/transforms/batch.h>

#include <minima/data/transforms/channel_map.h>
#include <minima/ops/op.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/threads/parallel.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace minima::data {

namespace {

constexpr std::int64_t max_channels = detail::ChannelMap::max_channels;

/// y = x · scale[c] + shift[c], from uint8 [B, H, W, C] to [B, C, H, W] in the same memory order.
struct NormalizeImages {
  static constexpr Traits traits{.name = "normalize_images"};
  detail::ChannelMap map;
  DType dtype;

  TensorSpec result(const Tensor& x) const {
    return {Layout::channels_last({x.size(0), x.size(3), x.size(1), x.size(2)}), dtype, x.device()};
  }
  Cost cost(const Tensor& x) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 2 * count, .bytes = count * static_cast<double>(1 + size_of(dtype))};
  }
  /// Through a table with the results for the 256 byte values.
  void cpu(const Tensor& x, Tensor& y) const {
    const auto channels = static_cast<std::size_t>(x.size(3));
    dispatch<floating>(dtype, "normalize_images", [&]<class T> {
      std::vector<T> table(256 * channels);
      for (std::size_t c = 0; c < channels; ++c)
        for (std::size_t v = 0; v < 256; ++v)
          table[256 * c + v] = static_cast<T>(std::fma(static_cast<float>(v), map.scale[c], map.shift[c]));
      const std::uint8_t* from = x.data<std::uint8_t>();
      T* to = y.data<T>();
      parallel_for(0, x.numel() / static_cast<std::int64_t>(channels), 16'384,
                   [&](std::int64_t first, std::int64_t last) {
                     if (channels == 3) {
                       const T *r = table.data(), *g = r + 256, *b = g + 256;
                       for (std::int64_t i = 3 * first; i < 3 * last; i += 3) {
                         to[i] = r[from[i]];
                         to[i + 1] = g[from[i + 1]];
                         to[i + 2] = b[from[i + 2]];
                       }
                       return;
                     }
                     for (std::int64_t pixel = first; pixel < last; ++pixel)
                       for (std::size_t c = 0; c < channels; ++c) {
                         const auto i = static_cast<std::size_t>(pixel) * channels + c;
                         to[i] = table[256 * c + from[i]];
                       }
                   });
    });
  }
  void cuda(const Tensor& x, Tensor& y) const {
    detail::map_channels_cuda(map, x.data<std::uint8_t>(), y.raw_data(), x.numel(), dtype);
  }
};

}  // namespace

detail::ChannelMap detail::channel_map(const char* what, std::int64_t count, std::span<const double> mean,
                                       std::span<const double> std, const Tensor& x) {
  const auto channels = static_cast<std::size_t>(count);
  if (mean.size() != channels || std.size() != channels)
    throw ShapeError(str(what, ": ", mean.size(), " means and ", std.size(), " standard deviations for images ", x));
  ChannelMap map{{}, {}, static_cast<int>(channels)};
  for (std::size_t c = 0; c < channels; ++c) {
    if (!(std[c] > 0))
      throw ValueError(str(what, ": the standard deviation of channel ", c, " must be positive, got ", std[c]));
    map.scale[c] = static_cast<float>(1 / (255 * std[c]));
    map.shift[c] = static_cast<float>(-mean[c] / std[c]);
  }
  return map;
}

Tensor normalize_images(const Tensor& x, std::span<const double> mean, std::span<const double> std, DType dtype) {
  if (!x.defined() || x.rank() != 4 || x.size(3) < 1 || x.size(3) > max_channels)
    throw ShapeError(
        str("normalize_images: expected images [B, H, W, C] with 1 to ", max_channels, " channels, got ", x));
  if (x.dtype() != DType::uint8) throw DTypeError(str("normalize_images: expected uint8 images, got ", x));
  if (!is_floating(dtype)) throw DTypeError(str("normalize_images: the result's dtype must be floating, got ", dtype));
  const NormalizeImages op{detail::channel_map("normalize_images", x.size(3), mean, std, x), dtype};
  if (!x.is_contiguous())
    throw ShapeError(
        str("normalize_images: images must be contiguous [B, H, W, C], got strides ", x.strides(), " of ", x));
  return apply(op, x);
}

}  // namespace minima::data
