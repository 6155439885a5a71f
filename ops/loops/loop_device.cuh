#pragma once

#include <minima/ops/loops/geometry.h>
#include <minima/ops/loops/kernel.cuh>

namespace minima::pointwise {

using cuda::Compute;
using cuda::Pack;

__device__ inline std::uint32_t divide(std::uint32_t n, const Divider& by) {
  return (__umulhi(n, by.magic) + n) >> by.shift;
}

/// The offsets of element i in each operand.
template <int operands>
struct Offsets {
  std::uint32_t of[operands] = {};

  __device__ Offsets(const Geometry& g, std::uint32_t i) {
    for (int d = 0; d < g.rank; ++d) {
      std::uint32_t index = i;
      if (d + 1 < g.rank) {  // what remains is the index of the outermost dimension
        const std::uint32_t rest = divide(i, g.sizes[d]);
        index = i - rest * g.sizes[d].divisor;
        i = rest;
      }
      for (int k = 0; k < operands; ++k) of[k] += index * static_cast<std::uint32_t>(g.strides[k][d]);
    }
  }
};

template <class F, class Out, class... In>
__device__ Out computed(const F& f, const In&... in) {
  return static_cast<Out>(static_cast<Compute<Out>>(f(static_cast<Compute<In>>(in)...)));
}

/// Loads a pack of an operand, or repeats one of its elements.
template <int width, class T>
__device__ Pack<T, width> read(const T* from, bool repeated) {
  if (!repeated) return cuda::load_pack<T, width>(from);
  Pack<T, width> pack;
  for (int i = 0; i < width; ++i) pack.items[i] = *from;
  return pack;
}

template <int width, class F, class Out, class... In, std::size_t... I>
__device__ void loop_pack(const F& f, const std::uint32_t* offsets, std::uint32_t repeated, std::index_sequence<I...>,
                          Out* out, const In*... in) {
  const auto run = [&](const Pack<In, width>&... packs) {
    Pack<Out, width> result;
    for (int i = 0; i < width; ++i) result.items[i] = computed<F, Out>(f, packs.items[i]...);
    cuda::store_pack(out + offsets[0], result);
  };
  run(read<width>(in + offsets[I + 1], (repeated >> (I + 1) & 1u) != 0)...);
}

/// One pack per thread, in the types in memory.
template <int width, class F, class Out, class... In>
__global__ void __launch_bounds__(256)
    packed_loop_kernel(const F f, const Geometry g, std::uint32_t repeated, Out* out, const In*... in) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= g.count) return;
  const Offsets<1 + sizeof...(In)> offsets(g, i);
  loop_pack<width, F, Out, In...>(f, offsets.of, repeated, std::index_sequence_for<In...>(), out, in...);
}

/// The operands' addresses and dtypes.
template <int operands>
struct Memory {
  void* data[operands];
  DType dtype[operands];
};

template <class F, class Out, class... In, std::size_t... I>
__device__ void loop_element(const F& f, const Memory<1 + sizeof...(In)>& memory, const std::uint32_t* offsets,
                             std::index_sequence<I...>) {
  const Out result = static_cast<Out>(f(cuda::load_as<In>(memory.data[I + 1], offsets[I + 1], memory.dtype[I + 1])...));
  cuda::store_as<Out>(memory.data[0], offsets[0], memory.dtype[0], result);
}

inline constexpr std::uint32_t elements_per_thread = 4;

/// Any strides and dtypes, converted to and from the types that the functor computes in.
template <class F, class Out, class... In>
__global__ void __launch_bounds__(256)
    strided_loop_kernel(const F f, const Geometry g, const Memory<1 + sizeof...(In)> memory) {
  std::uint32_t i = blockIdx.x * blockDim.x * elements_per_thread + threadIdx.x;
  for (std::uint32_t n = 0; n < elements_per_thread && i < g.count; ++n, i += blockDim.x) {
    const Offsets<1 + sizeof...(In)> offsets(g, i);
    loop_element<F, Out, In...>(f, memory, offsets.of, std::index_sequence_for<In...>());
  }
}

}  // namespace minima::pointwise
