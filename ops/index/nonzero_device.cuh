#pragma once

#include <minima/ops/loops/kernel.cuh>

namespace minima::detail {

inline constexpr unsigned nonzero_threads = 256;

struct Sizes {
  static constexpr int max_rank = 16;
  std::int64_t size[max_rank];
  int rank;
};

/// counts[b] = the number of true flags in block b's range.
static __global__ void __launch_bounds__(nonzero_threads)
    count_true_kernel(const bool* flags, std::int64_t count, std::int64_t per_block, std::int64_t* counts) {
  const std::int64_t first = blockIdx.x * per_block, last = first + per_block < count ? first + per_block : count;
  std::int64_t total = 0;
  for (std::int64_t tile = first; tile < last; tile += blockDim.x) {
    const std::int64_t i = tile + threadIdx.x;
    total += __syncthreads_count(i < last && flags[i]);
  }
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

/// Writes the coordinates of the true flags in row-major order; starts[b] is the number before block b.
static __global__ void __launch_bounds__(nonzero_threads)
    nonzero_kernel(const bool* flags, std::int64_t count, std::int64_t per_block, const std::int64_t* starts,
                   const Sizes sizes, std::int64_t* out) {
  __shared__ std::uint32_t of_warps[2][nonzero_threads / cuda::warp];  // tiles take turns: one barrier for each
  unsigned turn = 0;
  const std::int64_t first = blockIdx.x * per_block, last = first + per_block < count ? first + per_block : count;
  const unsigned lane = threadIdx.x % cuda::warp, own_warp = threadIdx.x / cuda::warp;
  std::int64_t before = starts[blockIdx.x];
  for (std::int64_t tile = first; tile < last; tile += blockDim.x) {
    const std::int64_t i = tile + threadIdx.x;
    const bool is_set = i < last && flags[i];
    const unsigned votes = __ballot_sync(cuda::whole_warp, is_set);
    std::uint32_t* const of_warp = of_warps[turn ^= 1u];
    if (lane == 0) of_warp[own_warp] = static_cast<std::uint32_t>(__popc(votes));
    __syncthreads();
    std::int64_t at = before + __popc(votes & ((1u << lane) - 1u));
    for (unsigned w = 0; w < blockDim.x / cuda::warp; ++w) {
      if (w < own_warp) at += of_warp[w];
      before += of_warp[w];
    }
    if (is_set) {
      std::int64_t rest = i;
      for (int d = sizes.rank - 1; d >= 0; --d) {
        out[at * sizes.rank + d] = rest % sizes.size[d];
        rest /= sizes.size[d];
      }
    }
  }
}

}  // namespace minima::detail
