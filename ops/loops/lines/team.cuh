#pragma once

#include <minima/ops/loops/kernel.cuh>

namespace minima::cuda {

struct Plus {
  template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct Larger {
  template <class T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

/// Reduces the values of all lanes by f in a fixed tree; every lane gets the same bits.
template <class T, class F>
__device__ T over_warp(T value, const F& f) {
  for (int by = 16; by > 0; by /= 2) {
    const T other = __shfl_xor_sync(whole_warp, value, by);
    value = (threadIdx.x & static_cast<unsigned>(by)) == 0 ? f(value, other) : f(other, value);
  }
  return value;
}

/// Shared memory for over_block. Each call uses the other half than the call before it, so that one barrier per call is
/// enough.
template <class T>
class Scratch {
 public:
  __device__ explicit Scratch(T (&halves)[2][warp]) : halves_(halves) {}
  __device__ T* next() { return halves_[turn_ ^= 1u]; }

 private:
  T (&halves_)[2][warp];
  unsigned turn_ = 0;
};

/// Reduces the values of all threads of the block, whose size is a multiple of 32, by f.
template <class T, class F>
__device__ T over_block(T value, const F& f, T identity, Scratch<T>& scratch) {
  value = over_warp(value, f);
  if (blockDim.x == warp) return value;
  T* const of_warps = scratch.next();
  const unsigned lane = threadIdx.x % warp;
  if (lane == 0) of_warps[threadIdx.x / warp] = value;
  __syncthreads();
  return over_warp(lane < blockDim.x / warp ? of_warps[lane] : identity, f);
}

/// The threads that share a line of elements. A contiguous line has the threads along x of a block; blocks with several
/// lines have one warp for each. Interleaved lines have one thread each, whose neighbours take the adjacent lines.
template <bool whole_block>
struct Team {
  std::int64_t line;
  unsigned rank, size;

  __device__ Team()
      : line(whole_block ? static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y
                         : static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x),
        rank(whole_block ? threadIdx.x : 0),
        size(whole_block ? blockDim.x : 1) {}

  template <class T, class F>
  __device__ T all(T value, const F& f, T identity, Scratch<T>& scratch) const {
    if constexpr (whole_block) return over_block(value, f, identity, scratch);
    else return value;
  }
};

/// f(i, x[i · step]) for the team's share of a line: contiguous elements in packs of 16 bytes, four of them in flight,
/// but for those before the first multiple of 16 bytes and after the last. What a thread gets depends on the address of
/// the line modulo 16 alone.
template <bool whole_block, class X, class F>
__device__ void for_line(const Team<whole_block>& team, const X* x, std::int64_t length, std::int64_t step,
                         const F& f) {
  constexpr int in_flight = 4;
  if constexpr (whole_block) {
    constexpr int width = 16 / sizeof(X);
    const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x) % 16 / sizeof(X));
    const std::int64_t wanted = past == 0 ? 0 : width - past, head = wanted < length ? wanted : length;
    const std::int64_t packs = (length - head) / width, size = team.size;
    if (team.rank < head) f(static_cast<std::int64_t>(team.rank), x[team.rank]);
    const auto take = [&](const Pack<X, width>& pack, std::int64_t p) {
      MINIMA_UNROLL
      for (int c = 0; c < width; ++c) f(head + p * width + c, pack.items[c]);
    };
    std::int64_t p = team.rank;
    for (; p + (in_flight - 1) * size < packs; p += in_flight * size) {
      Pack<X, width> loaded[in_flight];
      MINIMA_UNROLL
      for (int n = 0; n < in_flight; ++n) loaded[n] = load_pack<X, width>(x + head + (p + n * size) * width);
      MINIMA_UNROLL
      for (int n = 0; n < in_flight; ++n) take(loaded[n], p + n * size);
    }
    for (; p < packs; p += size) take(load_pack<X, width>(x + head + p * width), p);
    for (std::int64_t i = head + packs * width + team.rank; i < length; i += size) f(i, x[i]);
  } else {
    std::int64_t i = 0;
    for (; i + in_flight <= length; i += in_flight) {
      X loaded[in_flight];
      MINIMA_UNROLL
      for (int n = 0; n < in_flight; ++n) loaded[n] = x[(i + n) * step];
      MINIMA_UNROLL
      for (int n = 0; n < in_flight; ++n) f(i + n, loaded[n]);
    }
    for (; i < length; ++i) f(i, x[i * step]);
  }
}

}  // namespace minima::cuda
