#pragma once

#include <minima/ops/loops/kernel.cuh>
#include <minima/ops/loops/lines/team.cuh>
#include <minima/ops/loops/runs/block_scan.cuh>
#include <minima/ops/loops/unroll.cuh>

// A stable radix sort of (key, position) pairs, 8 bits at a time. Each block owns a contiguous range of elements, so
// its counts and its output are in order.

namespace minima::sorting {

inline constexpr unsigned digits = 256, sort_threads = 256;

/// A key that may be out of range.
__device__ inline std::int64_t clamped(std::int64_t key, std::int64_t limit) {
  return key >= 0 && key < limit ? key : limit - 1;
}

/// counts[digit][block] = the number of elements with this digit in the block's range.
static __global__ void __launch_bounds__(sort_threads)
    radix_count_kernel(const std::int64_t* keys, std::int64_t limit, std::int64_t count, std::int64_t per_block,
                       int shift, std::uint32_t* counts) {
  __shared__ std::uint32_t histogram[digits];
  histogram[threadIdx.x] = 0;
  __syncthreads();
  const std::int64_t first = blockIdx.x * per_block, last = first + per_block < count ? first + per_block : count;
  for (std::int64_t i = first + threadIdx.x; i < last; i += blockDim.x)
    atomicAdd(&histogram[clamped(keys[i], limit) >> shift & (digits - 1)], 1u);
  __syncthreads();
  counts[threadIdx.x * gridDim.x + blockIdx.x] = histogram[threadIdx.x];
}

inline constexpr unsigned sum_threads = 1024, sums_per_thread = 16;

/// One block: replaces the first count - 1 numbers by their exclusive prefix sums, and the last one by the total.
template <class Count>
__global__ void __launch_bounds__(sum_threads) exclusive_sum_kernel(Count* counts, std::uint32_t count) {
  constexpr int width = 16 / sizeof(Count), packs = sums_per_thread / width;
  __shared__ Count scratch[2][cuda::warp + 1];
  unsigned turn = 0;
  Count before = 0;
  for (std::uint32_t tile = 0; tile < count; tile += sum_threads * sums_per_thread) {
    const std::uint32_t first = tile + threadIdx.x * sums_per_thread;
    const bool is_whole = first + sums_per_thread < count;  // not with the last one
    Count own[sums_per_thread];
    if (is_whole) {
      cuda::Pack<Count, width> loaded[packs];
      MINIMA_UNROLL
      for (int p = 0; p < packs; ++p) loaded[p] = cuda::load_pack<Count, width>(counts + first + p * width);
      MINIMA_UNROLL
      for (int i = 0; i < packs * width; ++i) own[i] = loaded[i / width].items[i % width];
    } else {
      MINIMA_UNROLL
      for (unsigned i = 0; i < sums_per_thread; ++i) own[i] = first + i + 1 < count ? counts[first + i] : 0;
    }
    Count sum = 0;
    MINIMA_UNROLL
    for (unsigned i = 0; i < sums_per_thread; ++i) sum += own[i];
    Count all;
    Count next = before + cuda::before_in_block(sum, cuda::Plus(), Count(0), scratch[turn ^= 1u], all);
    before += all;
    MINIMA_UNROLL
    for (unsigned i = 0; i < sums_per_thread; ++i) {
      const Count at = next;
      next += own[i];
      own[i] = at;
    }
    if (is_whole) {
      MINIMA_UNROLL
      for (int p = 0; p < packs; ++p) {
        cuda::Pack<Count, width> stored;
        MINIMA_UNROLL
        for (int i = 0; i < width; ++i) stored.items[i] = own[p * width + i];
        cuda::store_pack(counts + first + p * width, stored);
      }
    } else {
      MINIMA_UNROLL
      for (unsigned i = 0; i < sums_per_thread; ++i)
        if (first + i < count) counts[first + i] = own[i];
    }
  }
}

/// Scatters every element to its position. Tiles of one element per thread are first sorted by their digits, bit by bit
/// (zeros before ones, otherwise in order), which keeps the sort stable.
static __global__ void __launch_bounds__(sort_threads)
    radix_scatter_kernel(const std::int64_t* keys, std::int64_t limit, const std::int64_t* positions,
                         std::int64_t count, std::int64_t per_block, int shift, const std::uint32_t* sums,
                         std::int64_t* sorted_keys, std::int64_t* sorted_positions) {
  __shared__ std::uint32_t next[digits];         // position of the next element with this digit
  __shared__ std::uint32_t first_of[digits];     // the tile's first element with this digit
  __shared__ std::uint32_t order[sort_threads];  // digit · 2^16 + the element's place in the tile
  __shared__ std::uint32_t ones[sort_threads / cuda::warp];
  const unsigned t = threadIdx.x, lane = t % cuda::warp;
  next[t] = sums[t * gridDim.x + blockIdx.x];
  const std::int64_t first = blockIdx.x * per_block, last = first + per_block < count ? first + per_block : count;
  for (std::int64_t tile = first; tile < last; tile += blockDim.x) {
    const unsigned present = static_cast<unsigned>(last - tile < blockDim.x ? last - tile : blockDim.x);
    const unsigned digit =
        t < present ? static_cast<unsigned>(clamped(keys[tile + t], limit) >> shift & (digits - 1)) : digits - 1;
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
      own = order[t];  // the next bit's first barrier is before the next writes
    }
    const unsigned mine = own >> 16;
    const bool exists = (own & 0xffffu) < present;  // padding of the last tile sorts last, even among equal digits
    if (t == 0 || order[t - 1] >> 16 != mine) first_of[mine] = t;
    __syncthreads();
    if (exists) {
      const std::uint32_t target = next[mine] + t - first_of[mine];
      const std::int64_t source = tile + (own & 0xffffu);
      sorted_keys[target] = clamped(keys[source], limit);
      sorted_positions[target] = positions ? positions[source] : source;
    }
    __syncthreads();
    const bool is_last = exists && (t + 1 == present || order[t + 1] >> 16 != mine);
    if (is_last) next[mine] += t + 1 - first_of[mine];  // the next tile's bits have barriers
  }
}

}  // namespace minima::sorting
