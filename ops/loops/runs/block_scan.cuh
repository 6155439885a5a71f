#pragma once

#include <minima/ops/loops/kernel.cuh>

namespace minima::cuda {

/// Combines the values of the threads before this one, in the order of threads and in a fixed tree: f(identity, …) for
/// thread 0. `all` receives the combination of all threads. For blocks of whole warps; `scratch`: 33 values of shared
/// memory, free again after the block's next barrier: calls in a row take turns with two such scratches.
template <class T, class F>
__device__ T before_in_block(T value, const F& f, T identity, T* scratch, T& all) {
  const unsigned lane = threadIdx.x % warp, own_warp = threadIdx.x / warp, warps = blockDim.x / warp;
  const auto over_lanes = [&](T x) {  // inclusive
    for (unsigned by = 1; by < warp; by *= 2) {
      const T other = __shfl_up_sync(whole_warp, x, by);
      if (lane >= by) x = f(other, x);
    }
    return x;
  };
  const auto shifted = [&](T x) {
    const T other = __shfl_up_sync(whole_warp, x, 1u);
    return lane == 0 ? identity : other;
  };
  const T inclusive = over_lanes(value), within = shifted(inclusive);
  if (lane == warp - 1) scratch[own_warp] = inclusive;
  __syncthreads();
  if (own_warp == 0) {
    const T sums = over_lanes(lane < warps ? scratch[lane] : identity), before = shifted(sums);
    if (lane < warps) scratch[lane] = before;
    if (lane == warp - 1) scratch[warp] = sums;
  }
  __syncthreads();
  all = scratch[warp];
  return f(scratch[own_warp], within);
}

}  // namespace minima::cuda
