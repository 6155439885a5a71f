#pragma once

// This header has what nvcc adds to C++ for kernels. It is included before everything else (-include) in .cu files that
// are compiled as plain C++, so that these need no change.

#include "simulated/kernels/running_thread.h"

#include <vector_types.h>

#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
// The address sanitizer misses overruns of thread-local arrays; under the thread sanitizer every block is an OS thread.
#if defined(SIMT_UNDER_TSAN)
#define __shared__ static thread_local
#else
#define __shared__ static
#endif

#define threadIdx (::simulated::simt::thread_index())
#define blockIdx (::simulated::simt::block_index())
#define blockDim (::simulated::simt::block_size())
#define gridDim (::simulated::simt::grid_size())
inline constexpr int warpSize = 32;

#define SIMT_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(SIMT_HERE) { simulated::simt::block_barrier({file, line}); }
inline int __syncthreads_count(int flag, SIMT_HERE) { return simulated::simt::block_count(flag, {file, line}); }
inline int __syncthreads_or(int flag, SIMT_HERE) { return simulated::simt::block_count(flag, {file, line}) > 0; }
inline void __syncwarp(unsigned mask = 0xffffffffu, SIMT_HERE) { simulated::simt::warp_barrier(mask, {file, line}); }
inline void __threadfence() { simulated::simt::fence(); }
inline void __threadfence_system() { simulated::simt::fence(); }

namespace simulated::simt {

template <class T> std::uint64_t to_word(T value) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  std::uint64_t word = 0;
  __builtin_memcpy(&word, &value, sizeof value);
  return word;
}
template <class T> T from_word(std::uint64_t word) {
  T value;
  __builtin_memcpy(&value, &word, sizeof value);
  return value;
}

/// The value of lane `source`, or of this lane if `source` is outside its group of `width`.
template <class T> T shuffle(unsigned mask, T value, int source, bool inside, Site site) {
  const unsigned from = inside ? static_cast<unsigned>(source) : lane_index();
  return from_word<T>(warp_exchange(mask, to_word(value), from, site));
}

/// CUDA's atomics are relaxed.
template <class T, class F> T atomic_update(T* address, F f) {
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  auto* const word = reinterpret_cast<Word*>(address);
  Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    const T next = f(__builtin_bit_cast(T, old));
    if (__atomic_compare_exchange_n(word, &old, __builtin_bit_cast(Word, next), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return __builtin_bit_cast(T, old);
  }
}

}  // namespace simulated::simt

template <class T> T __shfl_sync(unsigned mask, T value, int source, int width = 32, SIMT_HERE) {
  const int lane = static_cast<int>(simulated::simt::lane_index());
  return simulated::simt::shuffle(mask, value, (lane & ~(width - 1)) + (source & (width - 1)), true, {file, line});
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32, SIMT_HERE) {
  const int lane = static_cast<int>(simulated::simt::lane_index());
  return simulated::simt::shuffle(mask, value, lane ^ with, (lane ^ with) / width <= lane / width, {file, line});
}
template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, SIMT_HERE) {
  const int lane = static_cast<int>(simulated::simt::lane_index()), from = lane + static_cast<int>(by);
  return simulated::simt::shuffle(mask, value, from, from / width == lane / width, {file, line});
}
template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, SIMT_HERE) {
  const int lane = static_cast<int>(simulated::simt::lane_index()), from = lane - static_cast<int>(by);
  return simulated::simt::shuffle(mask, value, from, from >= (lane & ~(width - 1)), {file, line});
}
inline unsigned __ballot_sync(unsigned mask, int flag, SIMT_HERE) {
  return simulated::simt::warp_ballot(mask, flag, {file, line});
}
inline int __any_sync(unsigned mask, int flag, SIMT_HERE) { return __ballot_sync(mask, flag, file, line) != 0; }
inline int __all_sync(unsigned mask, int flag, SIMT_HERE) { return __ballot_sync(mask, flag, file, line) == mask; }

template <class T> T atomicAdd(T* address, std::type_identity_t<T> value) {
  return simulated::simt::atomic_update(address, [=](T old) { return static_cast<T>(old + value); });
}
template <class T> T atomicMax(T* address, std::type_identity_t<T> value) {
  return simulated::simt::atomic_update(address, [=](T old) { return old < value ? value : old; });
}
template <class T> T atomicMin(T* address, std::type_identity_t<T> value) {
  return simulated::simt::atomic_update(address, [=](T old) { return value < old ? value : old; });
}
template <class T> T atomicExch(T* address, std::type_identity_t<T> value) {
  return simulated::simt::atomic_update(address, [=](T) { return value; });
}
template <class T> T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return simulated::simt::atomic_update(address, [=](T old) { return old == expected ? value : old; });
}
inline unsigned atomicInc(unsigned* address, unsigned last) {
  return simulated::simt::atomic_update(address, [=](unsigned old) { return old >= last ? 0u : old + 1u; });
}

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ typedef unsigned __int128 Wide;
  return static_cast<unsigned long long>(static_cast<Wide>(a) * b >> 64);
}
template <class T> T __ldg(const T* address) { return *address; }

#undef SIMT_HERE
