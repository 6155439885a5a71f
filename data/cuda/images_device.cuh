#pragma once

#include <minima/data/transforms/channel_map.h>
#include <minima/data/transforms/pixel_change.h>
#include <minima/ops/loops/kernel.cuh>

namespace minima::data::detail {

using cuda::Pack;

/// Loads four bytes from any address: a slice of a batch need not be aligned.
__device__ inline Pack<std::uint8_t, 4> four_bytes(const std::uint8_t* x) {
  if (reinterpret_cast<std::uintptr_t>(x) % 4 == 0) return cuda::load_pack<std::uint8_t, 4>(x);
  return {{x[0], x[1], x[2], x[3]}};
}

/// Maps elements 4 · group … 4 · group + 3 of `count` with one load and one store. y is aligned to 16 bytes.
template <class T>
__device__ void map_group(const ChannelMap& map, const std::uint8_t* x, T* y, std::int64_t group, std::int64_t count) {
  const std::int64_t first = 4 * group;
  int channel = static_cast<int>(first % map.channels);
  const auto mapped = [&](std::uint8_t value) {
    const T result = static_cast<T>(static_cast<float>(value) * map.scale[channel] + map.shift[channel]);
    channel = channel + 1 == map.channels ? 0 : channel + 1;
    return result;
  };
  if (first + 4 <= count) {
    const auto bytes = four_bytes(x + first);
    Pack<T, 4> out;
    for (int i = 0; i < 4; ++i) out.items[i] = mapped(bytes.items[i]);
    return cuda::store_pack(y + first, out);
  }
  for (std::int64_t i = first; i < count; ++i) y[i] = mapped(x[i]);
}

template <class T>
__global__ void normalize_images_kernel(ChannelMap map, const std::uint8_t* x, T* y, std::int64_t count) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x, groups = (count + 3) / 4;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < groups; i += step)
    map_group(map, x, y, i, count);
}

inline constexpr int values_of_a_byte = 256;

/// Computes the tables of the operations that use one, with a block of 256 threads per channel of each image. Counts
/// are integers, so the result does not depend on the order of the atomic additions.
static __global__ void __launch_bounds__(values_of_a_byte)
    pixel_tables_kernel(ImagesShape shape, const std::uint8_t* x, const double* numbers, std::uint8_t* tables) {
  __shared__ std::uint32_t counts[values_of_a_byte];
  __shared__ unsigned long long grey_sum;
  const std::int64_t pixels = shape.height * shape.width;
  for (std::int64_t block = blockIdx.x; block < shape.images * shape.channels; block += gridDim.x) {
    const std::int64_t image = block / shape.channels, channel = block % shape.channels;
    const double* n = numbers + image * PixelChangeNumbers::count;
    const int kind = static_cast<int>(n[PixelChangeNumbers::kind]), v = static_cast<int>(threadIdx.x);
    counts[v] = 0;
    if (v == 0) grey_sum = 0;
    __syncthreads();
    if (kind == PixelChange::auto_contrast || kind == PixelChange::equalize || kind == PixelChange::contrast) {
      unsigned long long mine = 0;
      for (std::int64_t i = v; i < pixels; i += values_of_a_byte) {
        const std::uint8_t* pixel = x + (image * pixels + i) * shape.channels;
        if (kind == PixelChange::contrast) mine += static_cast<unsigned long long>(grey_of(pixel, shape.channels));
        else atomicAdd(&counts[pixel[channel]], 1u);
      }
      if (mine > 0) atomicAdd(&grey_sum, mine);
    }
    __syncthreads();
    const double mean = static_cast<double>(grey_sum) / static_cast<double>(pixels);
    tables[block * values_of_a_byte + v] = table_value(kind, n[PixelChangeNumbers::value], v, counts, mean);
    __syncthreads();  // before the next channel's counts
  }
}

static __global__ void change_pixels_kernel(ImagesShape shape, const std::uint8_t* x, const double* numbers,
                                            const std::uint8_t* tables, std::uint8_t* y) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x, pixels = shape.height * shape.width;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < shape.images * pixels;
       i += step) {
    const std::int64_t image = i / pixels, at = i % pixels;
    change_pixel(shape, x + image * pixels * shape.channels, numbers + image * PixelChangeNumbers::count,
                 tables + image * shape.channels * values_of_a_byte, at / shape.width, at % shape.width,
                 y + i * shape.channels);
  }
}

}  // namespace minima::data::detail
