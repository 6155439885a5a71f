#pragma once

#include <minima/ops/convolution/geometry.h>
#include <minima/ops/loops/kernel.cuh>

// Convolution as matrix products, where cuDNN is missing or refuses. Images, weights and results are channels_last. The
// patches of a range of output positions are [groups, positions, kD, kH, kW, C / groups].

namespace minima::detail {

/// The input position of kernel element `k` for output position `i`.
MINIMA_HD inline std::int64_t tap(std::int64_t i, std::int64_t k, std::int64_t stride, std::int64_t padding,
                                  std::int64_t dilation) {
  return i * stride - padding + k * dilation;
}

/// The output position of which kernel element `k` reads input position `at`; -1 if there is none.
MINIMA_HD inline std::int64_t step_to(std::int64_t at, std::int64_t k, std::int64_t stride, std::int64_t padding,
                                      std::int64_t dilation, std::int64_t results) {
  const std::int64_t distance = at + padding - k * dilation;
  if (distance < 0 || distance % stride != 0 || distance / stride >= results) return -1;
  return distance / stride;
}

/// The minimum number of elements per thread, which bounds the number of threads.
inline constexpr std::int64_t patch_elements = 8;

/// The patches of positions first … first + count - 1, counted over batch, depth, rows and columns.
template <class X>
__global__ void __launch_bounds__(256)
    gather_patches_kernel(const ConvGeometry g, const X* images, std::int64_t first, std::int64_t count, X* patches) {
  const ConvOptions& o = g.options;
  const std::int64_t channels = g.channels / o.groups;
  const std::int64_t terms = g.kernel.depth * g.kernel.height * g.kernel.width * channels;
  const std::int64_t all = o.groups * count * terms, threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += threads) {
    std::int64_t rest = i;
    const std::int64_t c = rest % channels;
    const std::int64_t b = (rest /= channels) % g.kernel.width;
    const std::int64_t a = (rest /= g.kernel.width) % g.kernel.height;
    const std::int64_t d = (rest /= g.kernel.height) % g.kernel.depth;
    const std::int64_t position = first + (rest /= g.kernel.depth) % count;
    const std::int64_t group = rest / count;
    const std::int64_t column = tap(position % g.out.width, b, o.stride.width, o.padding.width, o.dilation.width);
    const std::int64_t line = position / g.out.width, level = line / g.out.height, image = level / g.out.depth;
    const std::int64_t row = tap(line % g.out.height, a, o.stride.height, o.padding.height, o.dilation.height);
    const std::int64_t plane = tap(level % g.out.depth, d, o.stride.depth, o.padding.depth, o.dilation.depth);
    const bool inside =
        plane >= 0 && plane < g.size.depth && row >= 0 && row < g.size.height && column >= 0 && column < g.size.width;
    const std::int64_t pixel = ((image * g.size.depth + plane) * g.size.height + row) * g.size.width + column;
    patches[i] = inside ? images[pixel * g.channels + group * channels + c] : static_cast<X>(cuda::Compute<X>(0));
  }
}

/// Adds to every element of images first_image … the patches that contain it, in the order of the kernel's elements.
template <class T>
__global__ void __launch_bounds__(256)
    scatter_patches_kernel(const ConvGeometry g, const T* patches, std::int64_t first, std::int64_t count,
                           std::int64_t first_image, std::int64_t image_count, T* images) {
  const ConvOptions& o = g.options;
  const std::int64_t channels = g.channels / o.groups, positions = g.out.depth * g.out.height * g.out.width;
  const std::int64_t elements = g.size.depth * g.size.height * g.size.width * g.channels;
  const std::int64_t all = image_count * elements;
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += threads) {
    std::int64_t rest = i;
    const std::int64_t channel = rest % g.channels;
    const std::int64_t column = (rest /= g.channels) % g.size.width;
    const std::int64_t row = (rest /= g.size.width) % g.size.height;
    const std::int64_t plane = (rest /= g.size.height) % g.size.depth;
    const std::int64_t image = first_image + rest / g.size.depth;
    const std::int64_t group = channel / channels, c = channel % channels;
    T sum = 0;
    for (std::int64_t d = 0; d < g.kernel.depth; ++d) {
      const std::int64_t level = step_to(plane, d, o.stride.depth, o.padding.depth, o.dilation.depth, g.out.depth);
      if (level < 0) continue;
      for (std::int64_t a = 0; a < g.kernel.height; ++a) {
        const std::int64_t line = step_to(row, a, o.stride.height, o.padding.height, o.dilation.height, g.out.height);
        if (line < 0) continue;
        for (std::int64_t b = 0; b < g.kernel.width; ++b) {
          const std::int64_t at = step_to(column, b, o.stride.width, o.padding.width, o.dilation.width, g.out.width);
          if (at < 0) continue;
          const std::int64_t position = image * positions + (level * g.out.height + line) * g.out.width + at - first;
          if (position < 0 || position >= count) continue;
          const std::int64_t element = (d * g.kernel.height + a) * g.kernel.width + b;
          const std::int64_t elements_of_kernel = g.kernel.depth * g.kernel.height * g.kernel.width;
          sum += patches[((group * count + position) * elements_of_kernel + element) * channels + c];
        }
      }
    }
    images[first_image * elements + i] += sum;
  }
}

}  // namespace minima::detail
