#pragma once

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/cuda/fault.h>
#include <minima/tensor/host_copy.h>

#include <cstdint>

// Building blocks of kernels. They compile with nvcc and, for simulated GPUs, with the C++ compiler, so they use no
// CUDA libraries or types.

// Before a loop with constant bounds: nvcc repeats its body, so that arrays indexed by it stay in registers and its
// loads are issued together.
#ifdef __CUDACC__
#define MINIMA_UNROLL _Pragma("unroll")
#else
#define MINIMA_UNROLL
#endif

namespace minima::cuda {

inline constexpr unsigned warp = 32;
inline constexpr unsigned whole_warp = 0xffffffffu;

/// The type that elements compute in: float for half types, else their own.
template <class T> struct ComputeOf {
  using type = T;
};
template <> struct ComputeOf<Float16> {
  using type = float;
};
template <> struct ComputeOf<BFloat16> {
  using type = float;
};
template <class T> using Compute = typename ComputeOf<T>::type;

/// Neighbouring elements that move in accesses of up to 16 bytes.
template <class T, int width> struct alignas(sizeof(T) * width < 16 ? sizeof(T) * width : 16) Pack {
  T items[width];
};
/// The address of a pack. A GPU faults on an address that is not a multiple of the pack's alignment; the harness does
/// too.
template <class P, class T> __device__ P* pack_at(T* address) {
#ifndef __CUDACC__
  simulated::simt::expect_aligned(address, alignof(P));
#endif
  return reinterpret_cast<P*>(address);
}
template <class T, int width> __device__ Pack<T, width> load_pack(const T* from) {
  return *pack_at<const Pack<T, width>>(from);
}
template <class T, int width> __device__ void store_pack(T* to, const Pack<T, width>& pack) {
  *pack_at<Pack<T, width>>(to) = pack;
}

/// Loads element `i` of memory whose dtype is known only at run time, converted by minima's rules.
template <class T> __device__ T load_as(const void* data, std::int64_t i, DType dtype) {
  switch (dtype) {
    case DType::boolean: return detail::convert<T>(static_cast<const bool*>(data)[i]);
    case DType::uint8: return detail::convert<T>(static_cast<const std::uint8_t*>(data)[i]);
    case DType::int8: return detail::convert<T>(static_cast<const std::int8_t*>(data)[i]);
    case DType::int32: return detail::convert<T>(static_cast<const std::int32_t*>(data)[i]);
    case DType::int64: return detail::convert<T>(static_cast<const std::int64_t*>(data)[i]);
    case DType::float16: return detail::convert<T>(static_cast<const Float16*>(data)[i]);
    case DType::bfloat16: return detail::convert<T>(static_cast<const BFloat16*>(data)[i]);
    case DType::float32: return detail::convert<T>(static_cast<const float*>(data)[i]);
    case DType::float64: return detail::convert<T>(static_cast<const double*>(data)[i]);
    case DType::complex64:
    case DType::complex128: break;  // no kernel takes them
  }
  return T();
}
template <class T> __device__ void store_as(void* data, std::int64_t i, DType dtype, T value) {
  switch (dtype) {
    case DType::boolean: static_cast<bool*>(data)[i] = detail::convert<bool>(value); break;
    case DType::uint8: static_cast<std::uint8_t*>(data)[i] = detail::convert<std::uint8_t>(value); break;
    case DType::int8: static_cast<std::int8_t*>(data)[i] = detail::convert<std::int8_t>(value); break;
    case DType::int32: static_cast<std::int32_t*>(data)[i] = detail::convert<std::int32_t>(value); break;
    case DType::int64: static_cast<std::int64_t*>(data)[i] = detail::convert<std::int64_t>(value); break;
    case DType::float16: static_cast<Float16*>(data)[i] = detail::convert<Float16>(value); break;
    case DType::bfloat16: static_cast<BFloat16*>(data)[i] = detail::convert<BFloat16>(value); break;
    case DType::float32: static_cast<float*>(data)[i] = detail::convert<float>(value); break;
    case DType::float64: static_cast<double*>(data)[i] = detail::convert<double>(value); break;
    case DType::complex64:
    case DType::complex128: break;
  }
}

/// The block's dynamic shared memory.
template <class T> __device__ T* dynamic_shared() {
#ifdef __CUDACC__
  extern __shared__ __align__(16) unsigned char memory[];
  return reinterpret_cast<T*>(memory);
#else
  return static_cast<T*>(simulated::simt::shared_memory());
#endif
}

/// Whether `value` is a valid index for `size` elements. If not, the next call that synchronises throws IndexError; the
/// kernel must skip that element.
__device__ inline bool is_index(std::int64_t value, std::int64_t size, Fault* fault) {
  if (value >= 0 && value < size) return true;
  if (atomicCAS(&fault->claimed, 0, 1) == 0) {
    fault->value = value;
    fault->size = size;
    __threadfence_system();  // the host reads them once it sees `raised`
    *static_cast<volatile int*>(&fault->raised) = 1;
  }
  return false;
}

/// The tensor that a block works on, in a launch over several. first_block[t] is the first block of tensor t.
__device__ inline int piece_of_block(const std::uint32_t* first_block, int count, std::uint32_t block) {
  int low = 0, high = count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (first_block[middle] <= block) low = middle;
    else high = middle - 1;
  }
  return low;
}

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
