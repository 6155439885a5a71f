#pragma once

#include <minima/ops/conv2d/geometry.h>
#include <minima/ops/loops/kernel.cuh>

// Convolution as matrix products, where cuDNN is missing or refuses. Images, weights and results are channels_last. The
// patches of a range of output positions are [groups, positions, kH, kW, C / groups].

namespace minima::detail {

/// The input position of kernel element `k` for output position `i`.
MINIMA_HD inline std::int64_t tap(std::int64_t i, std::int64_t k, std::int64_t stride, std::int64_t padding,
                                  std::int64_t dilation) {
  return i * stride - padding + k * dilation;
}

/// The minimum number of elements per thread, which bounds the number of threads.
inline constexpr std::int64_t patch_elements = 8;

/// The patches of positions first … first + count - 1, counted over batch, rows and columns.
template <class X>
__global__ void __launch_bounds__(256)
    gather_patches_kernel(const ConvGeometry g, const X* images, std::int64_t first, std::int64_t count, X* patches) {
  const Conv2dOptions& o = g.options;
  const std::int64_t channels = g.channels / o.groups, terms = g.kernel_height * g.kernel_width * channels;
  const std::int64_t all = o.groups * count * terms, threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += threads) {
    std::int64_t rest = i;
    const std::int64_t c = rest % channels;
    const std::int64_t b = (rest /= channels) % g.kernel_width;
    const std::int64_t a = (rest /= g.kernel_width) % g.kernel_height;
    const std::int64_t position = first + (rest /= g.kernel_height) % count;
    const std::int64_t group = rest / count;
    const std::int64_t column = tap(position % g.out_width, b, o.stride.width, o.padding.width, o.dilation.width);
    const std::int64_t line = position / g.out_width, image = line / g.out_height;
    const std::int64_t row = tap(line % g.out_height, a, o.stride.height, o.padding.height, o.dilation.height);
    const bool inside = row >= 0 && row < g.height && column >= 0 && column < g.width;
    patches[i] = inside ? images[((image * g.height + row) * g.width + column) * g.channels + group * channels + c]
                        : static_cast<X>(cuda::Compute<X>(0));
  }
}

/// Adds to every element of images first_image … the patches that contain it, in the order of the kernel's elements.
template <class T>
__global__ void __launch_bounds__(256)
    scatter_patches_kernel(const ConvGeometry g, const T* patches, std::int64_t first, std::int64_t count,
                           std::int64_t first_image, std::int64_t image_count, T* images) {
  const Conv2dOptions& o = g.options;
  const std::int64_t channels = g.channels / o.groups, positions = g.out_height * g.out_width;
  const std::int64_t all = image_count * g.height * g.width * g.channels;
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += threads) {
    std::int64_t rest = i;
    const std::int64_t channel = rest % g.channels;
    const std::int64_t column = (rest /= g.channels) % g.width;
    const std::int64_t row = (rest /= g.width) % g.height;
    const std::int64_t image = first_image + rest / g.height;
    const std::int64_t group = channel / channels, c = channel % channels;
    T sum = 0;
    for (std::int64_t a = 0; a < g.kernel_height; ++a) {
      const std::int64_t down = row + o.padding.height - a * o.dilation.height;
      if (down < 0 || down % o.stride.height != 0 || down / o.stride.height >= g.out_height) continue;
      for (std::int64_t b = 0; b < g.kernel_width; ++b) {
        const std::int64_t across = column + o.padding.width - b * o.dilation.width;
        if (across < 0 || across % o.stride.width != 0 || across / o.stride.width >= g.out_width) continue;
        const std::int64_t position =
            image * positions + down / o.stride.height * g.out_width + across / o.stride.width - first;
        if (position < 0 || position >= count) continue;
        sum += patches[(((group * count + position) * g.kernel_height + a) * g.kernel_width + b) * channels + c];
      }
    }
    images[first_image * g.height * g.width * g.channels + i] += sum;
  }
}

}  // namespace minima::detail
