#pragma once

#include <minima/data/transforms/augment_pixel.h>
#include <minima/data/transforms/channel_map.h>

namespace minima::data::detail {

template <class T>
__global__ void normalize_images_kernel(ChannelMap map, const std::uint8_t* x, T* y, std::int64_t count) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x, groups = (count + 3) / 4;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < groups; i += step)
    map_group(map, x, y, i, count);
}

template <class T>
__global__ void augment_images_kernel(ChannelMap map, AugmentShape shape, const std::uint8_t* x, const float* numbers, const float* means, T* y) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x, pixels = shape.images * shape.height * shape.width;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < pixels; i += step)
    augment_pixel(map, shape, x, numbers, means, i, y);
}

}  // namespace minima::data::detail
