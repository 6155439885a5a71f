#pragma once

#include <minima/tensor/random/philox_state.h>
#include <minima/tensor/random/random_draws.h>
#include <minima/ops/loops/kernel.cuh>

namespace minima::detail {

/// Every thread draws the elements of one Philox block: four, or two of 64 bits. The bits equal the CPU's, provided
/// that the file is compiled without contraction to fused multiply-adds.
template <class T, class Draw>
__global__ void __launch_bounds__(256) random_kernel(const Draw draw, PhiloxState start, T* out, std::int64_t count) {
  constexpr int per_block = is_wide<T> ? 2 : 4;
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x,
                     first = block * per_block;
  if (first >= count) return;
  const Philox::Block words = Philox::at(start.seed, start.position() + static_cast<std::uint64_t>(block));
  for (int i = 0; i < per_block && first + i < count; ++i) out[first + i] = convert<T>(draw(words.word, i));
}

}  // namespace minima::detail
