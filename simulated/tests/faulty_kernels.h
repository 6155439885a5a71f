#pragma once

#include "simulated/kernels/cuda.h"

// Kernels for the tests of fibers: correct ones, and ones with the faults that must be found.

namespace simulated {

template <bool has_barrier>
__global__ void reverse_kernel(const int* in, int* out) {
  int* const values = static_cast<int*>(simt::shared_memory());
  values[threadIdx.x] = in[threadIdx.x];
  if constexpr (has_barrier) __syncthreads();
  out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

inline __global__ void warp_sum_kernel(const int* in, int* out) {
  int sum = in[threadIdx.x];
  for (int by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, by);
  out[threadIdx.x] = sum;
}

/// Every block writes its index; the last one to finish sums them.
template <bool has_fence>
__global__ void last_block_kernel(int* partial, unsigned* counter, int* total) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = static_cast<int>(blockIdx.x);
    if constexpr (has_fence) __threadfence();
    is_last = atomicAdd(counter, 1u) + 1 == gridDim.x;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  if constexpr (has_fence) __threadfence();
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += partial[b];
  *total = sum;
}

inline constexpr int branch_line = __LINE__ + 2;
inline __global__ void branch_kernel(const int*, int*) {
  if (threadIdx.x % 2 == 0) __syncthreads();
  else __syncthreads();
}

inline constexpr int early_exit_line = __LINE__ + 3;
inline __global__ void early_exit_kernel(const int*, int*) {
  if (threadIdx.x >= 60) return;
  __syncthreads();
}

inline __global__ void lost_lane_kernel(const int* in, int* out) {
  if (threadIdx.x % 32 == 7) return;
  out[threadIdx.x] = __shfl_sync(0xffffffffu, in[threadIdx.x], 0);
}

inline __global__ void refuse_kernel(const int* in, int*) {
  if (in[threadIdx.x] >= 10) simt::fail("index out of range");
}
inline __global__ void misaligned_kernel(const int* in, int*) { simt::expect_aligned(in + 1, 16); }

template <bool is_static>
__global__ void overrun_kernel(const int* in, int* out) {
  __shared__ int own[64];
  int* const values = is_static ? own : static_cast<int*>(simt::shared_memory());
  values[threadIdx.x + 1] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

}  // namespace simulated
