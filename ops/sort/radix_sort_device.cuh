#pragma once

#include <minima/ops/loops/kernel.cuh>

// A stable radix sort of (key, position) pairs, 8 bits at a time. Each block owns a contiguous range of elements, so
// its counts and its output are in order.

namespace minima::sorting {

inline constexpr unsigned digits = 256, sort_threads = 256;

/// counts[digit][block] = the number of elements with this digit in the block's range.
static __global__ void __launch_bounds__(sort_threads)
    radix_count_kernel(const std::int64_t* keys, std::int64_t count, std::int64_t per_block, int shift,
                       std::uint32_t* counts) {
  __shared__ std::uint32_t histogram[digits];
  histogram[threadIdx.x] = 0;
  __syncthreads();
  const std::int64_t first = blockIdx.x * per_block, last = first + per_block < count ? first + per_block : count;
  for (std::int64_t i = first + threadIdx.x; i < last; i += blockDim.x)
    atomicAdd(&histogram[keys[i] >> shift & (digits - 1)], 1u);
  __syncthreads();
  counts[threadIdx.x * gridDim.x + blockIdx.x] = histogram[threadIdx.x];
}

/// One block: replaces the counts by their exclusive prefix sums.
static __global__ void __launch_bounds__(sort_threads)
    exclusive_sum_kernel(std::uint32_t* counts, std::uint32_t count) {
  __shared__ std::uint32_t sums[sort_threads];
  std::uint32_t before = 0;
  for (std::uint32_t start = 0; start < count; start += blockDim.x) {
    const std::uint32_t i = start + threadIdx.x;
    const std::uint32_t own = i < count ? counts[i] : 0;
    sums[threadIdx.x] = own;
    __syncthreads();
    for (unsigned by = 1; by < blockDim.x; by *= 2) {
      const std::uint32_t other = threadIdx.x >= by ? sums[threadIdx.x - by] : 0;
      __syncthreads();
      sums[threadIdx.x] += other;
      __syncthreads();
    }
    if (i < count) counts[i] = before + sums[threadIdx.x] - own;
    before += sums[blockDim.x - 1];
    __syncthreads();
  }
}

/// Scatters every element to its position. Tiles of one element per thread are first sorted by their digits, bit by bit
/// (zeros before ones, otherwise in order), which keeps the sort stable.
static __global__ void __launch_bounds__(sort_threads)
    radix_scatter_kernel(const std::int64_t* keys, const std::int64_t* positions, std::int64_t count,
                         std::int64_t per_block, int shift, const std::uint32_t* sums, std::int64_t* sorted_keys,
                         std::int64_t* sorted_positions) {
  __shared__ std::uint32_t next[digits];         // position of the next element with this digit
  __shared__ std::uint32_t first_of[digits];     // the tile's first element with this digit
  __shared__ std::uint32_t order[sort_threads];  // digit · 2^16 + the element's place in the tile
  __shared__ std::uint32_t ones[sort_threads / cuda::warp];
  const unsigned t = threadIdx.x, lane = t % cuda::warp;
  next[t] = sums[t * gridDim.x + blockIdx.x];
  const std::int64_t first = blockIdx.x * per_block, last = first + per_block < count ? first + per_block : count;
  for (std::int64_t tile = first; tile < last; tile += blockDim.x) {
    const unsigned present = static_cast<unsigned>(last - tile < blockDim.x ? last - tile : blockDim.x);
    const unsigned digit = t < present ? static_cast<unsigned>(keys[tile + t] >> shift & (digits - 1)) : digits - 1;
    std::uint32_t own = digit << 16 | t;
    for (int bit = 0; bit < 8; ++bit) {
      const bool one = (own >> (16 + bit) & 1u) != 0;
      const unsigned votes = __ballot_sync(cuda::whole_warp, one);
      if (lane == 0) ones[t / cuda::warp] = static_cast<std::uint32_t>(__popc(votes));
      __syncthreads();
      unsigned ones_before = static_cast<unsigned>(__popc(votes & ((1u << lane) - 1u))), all_ones = 0;
      for (unsigned w = 0; w < sort_threads / cuda::warp; ++w) {
        if (w < t / cuda::warp) ones_before += ones[w];
        all_ones += ones[w];
      }
      order[one ? blockDim.x - all_ones + ones_before : t - ones_before] = own;
      __syncthreads();
      own = order[t];
      __syncthreads();
    }
    const unsigned mine = own >> 16;
    const bool exists = (own & 0xffffu) < present;  // padding of the last tile sorts last, even among equal digits
    if (t == 0 || order[t - 1] >> 16 != mine) first_of[mine] = t;
    __syncthreads();
    if (exists) {
      const std::uint32_t target = next[mine] + t - first_of[mine];
      const std::int64_t source = tile + (own & 0xffffu);
      sorted_keys[target] = keys[source];
      sorted_positions[target] = positions ? positions[source] : source;
    }
    __syncthreads();
    const bool is_last = exists && (t + 1 == present || order[t + 1] >> 16 != mine);
    if (is_last) next[mine] += t + 1 - first_of[mine];
    __syncthreads();
  }
}

}  // namespace minima::sorting
