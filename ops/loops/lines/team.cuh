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

/// Reduces the values of all threads of the block, whose size is a multiple of 32, by f. `scratch`: 32 values of shared
/// memory, free again when the function returns.
template <class T, class F>
__device__ T over_block(T value, const F& f, T identity, T* scratch) {
  value = over_warp(value, f);
  if (blockDim.x == warp) return value;
  const unsigned lane = threadIdx.x % warp;
  if (lane == 0) scratch[threadIdx.x / warp] = value;
  __syncthreads();
  value = over_warp(lane < blockDim.x / warp ? scratch[lane] : identity, f);
  __syncthreads();
  return value;
}

/// The threads that share a line of elements: a whole block if it is contiguous, else one thread, whose neighbours take
/// the adjacent lines.
template <bool whole_block>
struct Team {
  std::int64_t line;
  unsigned rank, size;

  __device__ Team()
      : line(whole_block ? blockIdx.x : static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x),
        rank(whole_block ? threadIdx.x : 0),
        size(whole_block ? blockDim.x : 1) {}

  template <class T, class F>
  __device__ T all(T value, const F& f, T identity, T* scratch) const {
    if constexpr (whole_block) return over_block(value, f, identity, scratch);
    else return value;
  }
};

}  // namespace minima::cuda
