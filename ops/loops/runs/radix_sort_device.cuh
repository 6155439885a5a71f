#pragma once

#include <minima/ops/loops/kernel.cuh>
#include <minima/ops/loops/lines/team.cuh>

// A stable radix sort of (key, position) pairs, 8 bits at a time. Each block owns a contiguous range of elements, so
// its counts and its output are in order.

namespace minima::sorting {

inline constexpr unsigned digits = 256, sort_threads = 256, sort_warps = sort_threads / cuda::warp, sort_items = 8;
inline constexpr std::int64_t sort_tile = sort_threads * sort_items;

/// A key that may be out of range.
__device__ inline std::int64_t clamped(std::int64_t key, std::int64_t limit) {
  return key >= 0 && key < limit ? key : limit - 1;
}
__device__ inline unsigned digit_of(std::int64_t key, int shift) {
  return static_cast<unsigned>(key >> shift & (digits - 1));
}

/// counts[digit][block] = the number of elements with this digit in the block's range.
static __global__ void __launch_bounds__(sort_threads)
    radix_count_kernel(const std::int64_t* keys, std::int64_t limit, std::int64_t count, std::int64_t per_block,
                       int shift, std::uint32_t* counts) {
  __shared__ std::uint32_t histogram[digits];
  histogram[threadIdx.x] = 0;
  __syncthreads();
  const std::int64_t first = blockIdx.x * per_block, last = first + per_block < count ? first + per_block : count;
  for (std::int64_t tile = first + threadIdx.x; tile < last; tile += sort_tile) {
    std::int64_t loaded[sort_items];
    MINIMA_UNROLL
    for (unsigned j = 0; j < sort_items; ++j)
      if (tile + j * sort_threads < last) loaded[j] = keys[tile + j * sort_threads];
    MINIMA_UNROLL
    for (unsigned j = 0; j < sort_items; ++j)
      if (tile + j * sort_threads < last) atomicAdd(&histogram[digit_of(clamped(loaded[j], limit), shift)], 1u);
  }
  __syncthreads();
  counts[threadIdx.x * gridDim.x + blockIdx.x] = histogram[threadIdx.x];
}

/// One block per digit: its counts [blocks] become the number of such elements in the blocks before, and totals[digit]
/// their number in all blocks.
static __global__ void __launch_bounds__(sort_threads)
    radix_sums_kernel(std::uint32_t* counts, std::uint32_t blocks, std::uint32_t* totals) {
  __shared__ std::uint32_t scratch[2][cuda::warp + 1];
  unsigned turn = 0;
  std::uint32_t* const own = counts + static_cast<std::size_t>(blockIdx.x) * blocks;
  if (blocks == 1) {  // there is none before it
    if (threadIdx.x == 0) totals[blockIdx.x] = own[0], own[0] = 0;
    return;
  }
  std::uint32_t before = 0;
  for (std::uint32_t tile = 0; tile < blocks; tile += sort_threads) {
    const std::uint32_t i = tile + threadIdx.x;
    std::uint32_t all;
    const std::uint32_t within =
        cuda::before_in_block(i < blocks ? own[i] : 0u, cuda::Plus(), 0u, scratch[turn ^= 1u], all);
    if (i < blocks) own[i] = before + within;
    before += all;
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = before;
}

/// Returns the lanes of this warp with `exists` whose digit is this lane's; each lane has one of 32 neighbouring
/// elements.
__device__ inline unsigned lanes_alike(unsigned digit, bool exists) {
  unsigned alike = __ballot_sync(cuda::whole_warp, exists);
  for (int bit = 0; bit < 8; ++bit) {
    const bool one = (digit >> bit & 1u) != 0;
    const unsigned votes = __ballot_sync(cuda::whole_warp, one);
    alike &= one ? votes : ~votes;
  }
  return alike;
}

/// Scatters every element to its position. A warp ranks the elements of its part of a tile among those with the same
/// digit, 32 at a time; then the tile is put in order in shared memory, so that neighbours are written together.
/// `counts` and `totals` are those of radix_sums_kernel.
static __global__ void __launch_bounds__(sort_threads)
    radix_scatter_kernel(const std::int64_t* keys, std::int64_t limit, const std::int64_t* positions,
                         std::int64_t count, std::int64_t per_block, int shift, const std::uint32_t* counts,
                         const std::uint32_t* totals, std::int64_t* sorted_keys, std::int64_t* sorted_positions) {
  __shared__ std::int64_t staged[sort_tile];
  __shared__ std::uint32_t of_warp[sort_warps][digits];  // elements of a digit; later the slot of the first of them
  __shared__ std::uint32_t offset[digits];               // from an element's slot in the tile to its target
  __shared__ std::uint32_t scratch[2][cuda::warp + 1];
  const unsigned t = threadIdx.x, lane = t % cuda::warp, own_warp = t / cuda::warp;
  std::uint32_t all;
  // Where the block's next element with digit t goes.
  std::uint32_t next =
      cuda::before_in_block(totals[t], cuda::Plus(), 0u, scratch[0], all) + counts[t * gridDim.x + blockIdx.x];
  const std::int64_t first = blockIdx.x * per_block, last = first + per_block < count ? first + per_block : count;
  for (std::int64_t tile = first; tile < last; tile += sort_tile) {
    const auto present = static_cast<unsigned>(last - tile < sort_tile ? last - tile : sort_tile);
    const auto place = [&](unsigned j) { return (own_warp * sort_items + j) * cuda::warp + lane; };
    std::int64_t own[sort_items];
    MINIMA_UNROLL
    for (unsigned j = 0; j < sort_items; ++j)
      if (place(j) < present) own[j] = clamped(keys[tile + place(j)], limit);
    for (unsigned d = lane; d < digits; d += cuda::warp) of_warp[own_warp][d] = 0;
    __syncwarp();
    std::uint32_t slot[sort_items];
    MINIMA_UNROLL
    for (unsigned j = 0; j < sort_items; ++j) {
      if (place(j) - lane >= present) continue;  // the whole warp
      const bool exists = place(j) < present;
      const unsigned digit = exists ? digit_of(own[j], shift) : 0;
      const unsigned alike = lanes_alike(digit, exists);
      const auto lower = static_cast<unsigned>(__popc(alike & ((1u << lane) - 1u)));
      const std::uint32_t before = of_warp[own_warp][digit];
      __syncwarp();
      if (exists && lower == 0) of_warp[own_warp][digit] = before + static_cast<unsigned>(__popc(alike));
      __syncwarp();
      slot[j] = before + lower;
    }
    __syncthreads();
    std::uint32_t sum = 0;  // of the tile's elements with digit t
    for (auto& of_digit : of_warp) {
      const std::uint32_t here = of_digit[t];
      of_digit[t] = sum;
      sum += here;
    }
    const std::uint32_t start = cuda::before_in_block(sum, cuda::Plus(), 0u, scratch[1], all);
    for (auto& of_digit : of_warp) of_digit[t] += start;
    offset[t] = next - start;
    next += sum;
    __syncthreads();
    MINIMA_UNROLL
    for (unsigned j = 0; j < sort_items; ++j)
      if (place(j) < present) {
        slot[j] += of_warp[own_warp][digit_of(own[j], shift)];
        staged[slot[j]] = own[j];
      }
    __syncthreads();
    std::uint32_t target[sort_items];
    MINIMA_UNROLL
    for (unsigned j = 0; j < sort_items; ++j)
      if (const unsigned s = j * sort_threads + t; s < present) {
        const std::int64_t key = staged[s];
        target[j] = offset[digit_of(key, shift)] + s;
        sorted_keys[target[j]] = key;
      }
    __syncthreads();
    MINIMA_UNROLL
    for (unsigned j = 0; j < sort_items; ++j)
      if (place(j) < present) own[j] = positions ? positions[tile + place(j)] : tile + place(j);
    MINIMA_UNROLL
    for (unsigned j = 0; j < sort_items; ++j)
      if (place(j) < present) staged[slot[j]] = own[j];
    __syncthreads();
    MINIMA_UNROLL
    for (unsigned j = 0; j < sort_items; ++j)
      if (const unsigned s = j * sort_threads + t; s < present) sorted_positions[target[j]] = staged[s];
  }
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

}  // namespace minima::sorting
