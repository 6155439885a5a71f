#pragma once

#include <minima/ops/loops/loop_device.cuh>

// Reductions on CUDA: `lanes` threads of a block compute one output and combine their states in shared memory in a
// fixed tree. A few outputs of many elements are split over blocks, whose states a second kernel combines in order. So
// results do not depend on timing.

namespace minima::reduction {

using pointwise::Geometry;
using pointwise::Offsets;

inline constexpr unsigned reduce_threads = 256;

struct Work {
  Geometry outputs;          ///< operand 0 is the input's first element of each output; 1 and 2 are the results
  Geometry reduced;          ///< operand 0: the elements of an output
  std::uint32_t lanes;       ///< threads per output, a power of two
  bool is_row;               ///< the lanes of an output are neighbours, as its elements in memory are
  std::uint32_t split;       ///< elements per block
  std::uint32_t first_part;  ///< the index of block 0's partial state
  std::int64_t first_index;  ///< of the first element among the reduced ones
  std::int32_t pack_width;   ///< contiguous elements are read in packs of this size; 1 for single elements
};

/// Input of a type known at compile time.
template <class X>
struct Typed {
  using Element = X;
  static constexpr int width = 16 / sizeof(X);
  const X* data;
  template <class T> __device__ T load(std::uint32_t i) const { return minima::detail::convert<T>(data[i]); }
};

/// Input of any dtype.
struct Untyped {
  static constexpr int width = 1;
  const void* data;
  DType dtype;
  template <class T> __device__ T load(std::uint32_t i) const { return cuda::load_as<T>(data, i, dtype); }
};

struct Results {
  void* data[2];
  DType dtype[2];
};

template <class F, class T>
__device__ typename F::State element_of(const F& f, T x, [[maybe_unused]] std::int64_t index) {
  if constexpr (requires { f.element(x, index); }) return f.element(x, index);
  else return f.element(x);
}

template <class F>
__device__ void write_result(const F& f, const typename F::State& state, const Results& results,
                             const std::uint32_t* at) {
  const auto result = f.finish(state);
  if constexpr (requires { result.second; }) {
    cuda::store_as(results.data[0], at[0], results.dtype[0], result.first);
    cuda::store_as(results.data[1], at[1], results.dtype[1], result.second);
  } else {
    cuda::store_as(results.data[0], at[0], results.dtype[0], result);
  }
}

/// One thread's elements of one output. Four independent states hide the latency of memory.
template <class T, class F, class Source>
__device__ typename F::State collect(const F& f, const Source& x, const Work& work, std::uint32_t first,
                                     std::uint32_t lane) {
  using State = typename F::State;
  State s[4] = {f.identity(), f.identity(), f.identity(), f.identity()};
  const std::uint32_t begin = blockIdx.y * work.split;
  const std::uint32_t end = work.reduced.count - begin < work.split ? work.reduced.count : begin + work.split;
  if constexpr (Source::width > 1) {
    if (work.pack_width > 1) {
      constexpr int width = Source::width;
      for (std::uint32_t r = begin + lane * width; r < end; r += work.lanes * width) {
        const auto pack = cuda::load_pack<typename Source::Element, width>(x.data + first + r);
        for (int i = 0; i < width; ++i)
          s[i % 4] = f.combine(
              s[i % 4], element_of<F, T>(f, minima::detail::convert<T>(pack.items[i]), work.first_index + r + i));
      }
      return f.combine(f.combine(s[0], s[1]), f.combine(s[2], s[3]));
    }
  }
  const auto take = [&](State& state, std::uint32_t r) {
    const Offsets<1> offset(work.reduced, r);
    state = f.combine(state, element_of<F, T>(f, x.template load<T>(first + offset.of[0]), work.first_index + r));
  };
  std::uint32_t r = begin + lane;
  for (; r + 3 * work.lanes < end; r += 4 * work.lanes)
    for (int i = 0; i < 4; ++i) take(s[i], r + static_cast<std::uint32_t>(i) * work.lanes);
  for (; r < end; r += work.lanes) take(s[0], r);
  return f.combine(f.combine(s[0], s[1]), f.combine(s[2], s[3]));
}

/// Blocks: outputs along x, splits along y. Writes results, or states into `partial` if that is not null.
template <class T, class F, class Source>
__global__ void __launch_bounds__(reduce_threads)
    reduce_kernel(const F f, const Source x, const Work work, typename F::State* partial, const Results results) {
  __shared__ typename F::State states[reduce_threads];
  const unsigned per_block = blockDim.x / work.lanes;
  const unsigned lane = work.is_row ? threadIdx.x % work.lanes : threadIdx.x / per_block;
  const unsigned column = work.is_row ? threadIdx.x / work.lanes : threadIdx.x % per_block;
  const unsigned output = blockIdx.x * per_block + column;
  const bool exists = output < work.outputs.count;
  const Offsets<3> at(work.outputs, exists ? output : 0);

  states[threadIdx.x] = exists ? collect<T>(f, x, work, at.of[0], lane) : f.identity();
  __syncthreads();
  const unsigned step = work.is_row ? 1 : per_block;
  for (unsigned half = work.lanes / 2; half > 0; half /= 2) {
    if (lane < half) states[threadIdx.x] = f.combine(states[threadIdx.x], states[threadIdx.x + half * step]);
    __syncthreads();
  }
  if (lane != 0 || !exists) return;
  if (partial)
    partial[static_cast<std::size_t>(work.first_part + blockIdx.y) * work.outputs.count + output] = states[threadIdx.x];
  else write_result(f, states[threadIdx.x], results, at.of + 1);
}

/// One thread per output combines its partial states in order.
template <class F>
__global__ void __launch_bounds__(reduce_threads)
    combine_parts_kernel(const F f, const Geometry outputs, std::uint32_t parts, const typename F::State* partial,
                         const Results results) {
  const std::uint32_t output = blockIdx.x * blockDim.x + threadIdx.x;
  if (output >= outputs.count) return;
  typename F::State state = f.identity();
  for (std::uint32_t p = 0; p < parts; ++p)
    state = f.combine(state, partial[static_cast<std::size_t>(p) * outputs.count + output]);
  const Offsets<3> at(outputs, output);
  write_result(f, state, results, at.of + 1);
}

}  // namespace minima::reduction
