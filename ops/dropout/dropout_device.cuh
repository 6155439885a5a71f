#pragma once

#include <minima/tensor/random/philox.h>
#include <minima/tensor/random/philox_state.h>
#include <minima/ops/loops/kernel.cuh>

namespace minima::detail {

/// y = x · scale where the element's word is below the threshold, else 0; one thread per Philox block of four elements.
template <class X>
__global__ void __launch_bounds__(256) dropout_kernel(const X* x, X* y, std::int64_t count, PhiloxState start,
                                                      std::uint32_t threshold, cuda::Compute<X> scale, bool packed) {
  using T = cuda::Compute<X>;
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, first = 4 * block;
  if (first >= count) return;
  const Philox::Block words = Philox::at(start.seed, start.position() + static_cast<std::uint64_t>(block));
  const auto drop = [&](X value, int i) {
    return words.word[i] >> 8 < threshold ? static_cast<X>(static_cast<T>(value) * scale) : static_cast<X>(T(0));
  };
  if (packed && first + 4 <= count) {
    cuda::Pack<X, 4> pack = cuda::load_pack<X, 4>(x + first);
    for (int i = 0; i < 4; ++i) pack.items[i] = drop(pack.items[i], i);
    cuda::store_pack(y + first, pack);
  } else {
    for (int i = 0; i < 4 && first + i < count; ++i) y[first + i] = drop(x[first + i], i);
  }
}

}  // namespace minima::detail
