#pragma once

#include <minima/ops/sort/order_key.h>
#include <minima/ops/loops/kernel.cuh>
#include <minima/ops/loops/lines/team.cuh>

// The first k elements of each line in order, without sorting the others: one block finds the k-th smallest key digit
// by digit, collects the elements up to it by position, and ranks those. A long line is cut into parts, each of which
// yields k candidates by the same kernel; they come in the order of parts, so ties still go to the lowest position.

namespace minima::sorting {

inline constexpr unsigned topk_bins = 256, topk_threads = 512;

/// Adds the digits at `shift` of those keys of the block's elements whose digits above are `prefix`'s. For all threads.
template <class Key, class At>
__device__ void count_digits(std::int64_t first, std::int64_t last, const At& key_at, Key prefix, Key above, int shift,
                             std::uint32_t* histogram) {
  for (unsigned bin = threadIdx.x; bin < topk_bins; bin += blockDim.x) histogram[bin] = 0;
  __syncthreads();
  for (std::int64_t i = first + threadIdx.x; i < last; i += blockDim.x) {
    const Key key = key_at(i);
    if ((key & above) == prefix) atomicAdd(&histogram[key >> shift & (topk_bins - 1)], 1u);
  }
  __syncthreads();
}

/// One warp: found = the bin of the wanted-th element, counted from 1, and its number within that bin.
static __device__ void find_bin(const std::uint32_t* histogram, std::uint32_t wanted, std::uint32_t (&found)[2]) {
  constexpr unsigned per_lane = topk_bins / cuda::warp;
  const unsigned lane = threadIdx.x;
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < per_lane; ++i) sum += histogram[lane * per_lane + i];
  std::uint32_t upto = sum;
  for (unsigned by = 1; by < cuda::warp; by *= 2) {
    const std::uint32_t other = __shfl_up_sync(cuda::whole_warp, upto, by);
    if (lane >= by) upto += other;
  }
  if (upto < wanted || upto - sum >= wanted) return;
  std::uint32_t left = wanted - (upto - sum);
  unsigned bin = lane * per_lane;
  for (; left > histogram[bin]; ++bin) left -= histogram[bin];
  found[0] = bin;
  found[1] = left;
}

/// Block b takes part b mod `parts` of line b / parts of x [lines, count], whose elements are at `places` [lines,
/// count], or each at its own index if that is null. y[b / inner, i, b % inner] = the place of its i-th element in
/// order; each part has at least k. `values`, if not null, gets these elements, too; then `places` is null. Shared
/// memory: k keys and 2k places.
template <class X>
__global__ void __launch_bounds__(topk_threads)
    topk_kernel(const X* x, const std::int64_t* places, std::int64_t count, std::int64_t parts, unsigned k,
                bool descending, std::int64_t inner, std::int64_t* y, X* values) {
  using Key = decltype(order_key(X()));
  __shared__ std::uint32_t histogram[topk_bins];
  __shared__ std::uint32_t found[2];
  __shared__ std::uint32_t scratch[2][cuda::warp + 1];
  auto* const chosen_places = cuda::dynamic_shared<std::int64_t>();
  auto* const ordered = chosen_places + k;
  auto* const chosen_keys = reinterpret_cast<Key*>(ordered + k);

  const std::int64_t block = blockIdx.x, line = block / parts, part = block % parts;
  const std::int64_t first = count * part / parts, last = count * (part + 1) / parts;
  const X* const own = x + line * count;
  const std::int64_t* const own_places = places ? places + line * count : nullptr;
  const auto place_at = [&](std::int64_t i) { return own_places ? own_places[i] : i; };
  const auto key_at = [&](std::int64_t i) {
    const Key key = order_key(own[i]);
    return descending ? static_cast<Key>(~key) : key;
  };

  Key prefix = 0, above = 0;       // digits of the k-th key, and which are known
  std::uint32_t equal_wanted = k;  // its number among the elements with those digits
  for (int shift = static_cast<int>(8 * sizeof(Key)) - 8; shift >= 0; shift -= 8) {
    count_digits(first, last, key_at, prefix, above, shift, histogram);
    if (threadIdx.x < cuda::warp) find_bin(histogram, equal_wanted, found);
    __syncthreads();
    prefix |= static_cast<Key>(found[0]) << shift;
    above |= static_cast<Key>(topk_bins - 1) << shift;
    equal_wanted = found[1];
  }

  // All smaller elements, then the first of the equal ones.
  const std::uint32_t smaller_wanted = k - equal_wanted;
  std::uint32_t smaller = 0, equal = 0;
  unsigned turn = 0;
  for (std::int64_t tile = first; smaller < smaller_wanted || equal < equal_wanted; tile += blockDim.x) {
    const std::int64_t i = tile + threadIdx.x;
    const Key key = i < last ? key_at(i) : prefix;
    const bool is_smaller = key < prefix, is_equal = i < last && key == prefix;
    std::uint32_t all;
    const std::uint32_t before = cuda::before_in_block((is_smaller ? 1u : 0u) | (is_equal ? 1u << 16 : 0u),
                                                       cuda::Plus(), 0u, scratch[turn ^= 1u], all);
    const std::uint32_t equal_before = equal + (before >> 16);
    if (is_smaller || (is_equal && equal_before < equal_wanted)) {
      const std::uint32_t slot = is_smaller ? smaller + (before & 0xffffu) : smaller_wanted + equal_before;
      chosen_keys[slot] = key;
      chosen_places[slot] = place_at(i);
    }
    smaller += all & 0xffffu;
    equal += all >> 16;
  }
  __syncthreads();

  for (unsigned slot = threadIdx.x; slot < k; slot += blockDim.x) {
    const Key key = chosen_keys[slot];
    unsigned rank = 0;
    for (unsigned other = 0; other < k; ++other)
      rank += chosen_keys[other] < key || (chosen_keys[other] == key && other < slot) ? 1 : 0;
    ordered[rank] = chosen_places[slot];
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < k; i += blockDim.x) {
    const std::int64_t to = block / inner * k * inner + i * inner + block % inner;
    y[to] = ordered[i];
    if (values) values[to] = own[ordered[i]];
  }
}

}  // namespace minima::sorting
