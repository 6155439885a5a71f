#pragma once

#include <minima/ops/loops/kernel.cuh>
#include <minima/ops/loops/unroll.cuh>

namespace minima::cuda {

/// A contiguous row in the registers of the threads along x that share it: up to `packs` packs, of 16 bytes each unless
/// a wider type is read along with it. Neighbours hold neighbouring packs. All loads are issued before the first result
/// is used.
template <int packs, class X, int elements = 16 / sizeof(X)>
struct RowPacks {
  static constexpr int width = elements;
  Pack<X, width> of[packs] = {};

  /// The row's element that item 0 of pack p holds.
  static __device__ std::int64_t place(int p) {
    return static_cast<std::int64_t>(static_cast<unsigned>(p) * blockDim.x + threadIdx.x) * width;
  }
  __device__ void load(const X* row, std::int64_t n) {
    MINIMA_UNROLL
    for (int p = 0; p < packs; ++p)
      if (place(p) < n) of[p] = load_pack<X, width>(row + place(p));
  }
};

/// f(p, place) for each pack of a row of n elements that this thread holds.
template <int packs, class X, class F>
__device__ void for_packs(std::int64_t n, const F& f) {
  MINIMA_UNROLL
  for (int p = 0; p < packs; ++p)
    if (const std::int64_t place = RowPacks<packs, X>::place(p); place < n) f(p, place);
}

/// The threads of a row, and the rows side by side in a block: whole warps for short rows, so that they need no
/// barrier.
struct RowBlock {
  unsigned threads = 0, rows = 1;  ///< no threads: the row is too long
};
template <class X>
RowBlock row_block(std::int64_t n, int packs) {
  const std::int64_t needed = (n * static_cast<std::int64_t>(sizeof(X)) / 16 + packs - 1) / packs;
  if (needed <= warp) return {warp, 8};
  if (needed > 512) return {};
  return {static_cast<unsigned>((needed + warp - 1) / warp * warp), 1};
}

/// Whether rows of n elements begin at multiples of 16 bytes.
template <class X>
bool has_packs(std::int64_t n) {
  return n % (16 / static_cast<std::int64_t>(sizeof(X))) == 0;
}
template <class X, class... Addresses>
bool has_packs(std::int64_t n, const void* first, const Addresses*... rest) {
  return reinterpret_cast<std::uintptr_t>(first) % 16 == 0 && has_packs<X>(n, rest...);
}

}  // namespace minima::cuda
