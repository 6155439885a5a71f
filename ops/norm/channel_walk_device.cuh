#pragma once

#include <minima/ops/norm/channel_walk.h>
#include <minima/ops/loops/kernel.cuh>
#include <minima/ops/loops/loop_device.cuh>

// The work of a walk's threads over a dense tensor [N, C, …] (see ChannelWalk).

namespace minima::detail {

/// The elements that a thread reads at once, which belong to as many channels or to one.
template <int elements, int of_channels>
struct Packs {
  static constexpr int width = elements, channels = of_channels;
};

/// Stores a pack in one access, of which nvcc would make one for each item or word.
template <class X, int width> __device__ void store(X* to, const cuda::Pack<X, width>& pack) {
#ifdef __CUDACC__
  if constexpr (sizeof pack == 16) {
    const auto word = [&](int i) {
      if constexpr (sizeof(X) == 2)
        return pack.items[2 * i].bits | static_cast<std::uint32_t>(pack.items[2 * i + 1].bits) << 16;
      else return bits_of(pack.items[i]);
    };
    __stwb(reinterpret_cast<uint4*>(to), make_uint4(word(0), word(1), word(2), word(3)));
    return;
  }
#endif
  cuda::store_pack(to, pack);
}

/// A thread's place in a walk.
template <class P>
struct Seat {
  const ChannelWalk& walk;
  std::uint32_t together;  ///< columns of a block
  std::uint32_t place_in_block, column, lane;
  std::uint32_t begin, end;  ///< the block's packs of the column

  __device__ explicit Seat(const ChannelWalk& w) : walk(w), together(blockDim.x / w.lanes) {
    lane = threadIdx.x / together;
    place_in_block = threadIdx.x % together;
    column = blockIdx.x * together + place_in_block;
    begin = blockIdx.y * w.split;
    end = w.count - begin < w.split ? w.count : begin + w.split;
  }
  __device__ bool exists() const { return column < walk.columns; }
  __device__ std::int64_t channel() const { return static_cast<std::int64_t>(column) * P::channels; }
  /// The first element of pack k of the column.
  __device__ std::int64_t place(std::uint32_t k) const {
    const std::uint32_t plane = pointwise::divide(k, walk.plane), rest = k - plane * walk.plane.divisor;
    return walk.start + plane * walk.row + column * walk.step + static_cast<std::int64_t>(rest) * P::width;
  }
  /// use(load(place), place) for each of the thread's packs, with `in_flight` of them loaded before the first is used.
  template <int in_flight, class Load, class Use> __device__ void for_packs(const Load& load, const Use& use) const {
    const std::uint32_t step = walk.lanes;
    std::uint32_t k = begin + lane;
    for (; k < end && end - k > (in_flight - 1) * step; k += in_flight * step) {
      std::int64_t at[in_flight];
      decltype(load(at[0])) raw[in_flight];
      MINIMA_UNROLL
      for (std::uint32_t n = 0; n < in_flight; ++n) at[n] = place(k + n * step);
      MINIMA_UNROLL
      for (int n = 0; n < in_flight; ++n) raw[n] = load(at[n]);
      MINIMA_UNROLL
      for (int n = 0; n < in_flight; ++n) use(raw[n], at[n]);
    }
    for (; k < end; k += step) {
      const std::int64_t at = place(k);
      use(load(at), at);
    }
  }
};

/// Values of the block's channels in shared memory, `count` for each. Every thread of the block must build one: each
/// channel's are read once, by set(values, channel).
template <int count, class T, class P>
struct ChannelTable {
  using Row = cuda::Pack<T, P::channels>;
  Row (&of)[count][cuda::warp];

  template <class Set> __device__ ChannelTable(Row (&memory)[count][cuda::warp], const Seat<P>& seat, const Set& set)
      : of(memory) {
    const std::uint32_t i = threadIdx.x / P::channels, c = threadIdx.x % P::channels;
    if (const std::uint32_t column = blockIdx.x * seat.together + i; i < seat.together && column < seat.walk.columns) {
      T values[count];
      set(values, static_cast<std::int64_t>(column) * P::channels + c);
      MINIMA_UNROLL
      for (int k = 0; k < count; ++k) of[k][i].items[c] = values[k];
    }
    __syncthreads();
  }
};

}  // namespace minima::detail
