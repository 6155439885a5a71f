#pragma once

#include <minima/ops/loops/kernel.cuh>
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

// A source reads the input. `load<T>(i, output)` is element i, which belongs to that output; `load_raw(i)` a pack of
// `width` elements from i on, and `item<T>(raw, c, output)` its element c.

/// Input of a type known at compile time.
template <class X>
struct Typed {
  using Raw = cuda::Pack<X, 16 / sizeof(X)>;
  static constexpr int width = 16 / sizeof(X);
  const X* data;
  bool is_aligned() const { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }
  template <class T> __device__ T load(std::uint32_t i, std::uint32_t) const {
    return minima::detail::convert<T>(data[i]);
  }
  __device__ Raw load_raw(std::uint32_t i) const { return cuda::load_pack<X, width>(data + i); }
  template <class T> __device__ T item(const Raw& raw, int c, std::uint32_t) const {
    return minima::detail::convert<T>(raw.items[c]);
  }
};

/// Input of any dtype.
struct Untyped {
  static constexpr int width = 1;
  const void* data;
  DType dtype;
  bool is_aligned() const { return false; }
  template <class T> __device__ T load(std::uint32_t i, std::uint32_t) const {
    return cuda::load_as<T>(data, i, dtype);
  }
};

struct Results {
  void* data[2];
  DType dtype[2];
};

/// How a thread, which meets its elements in the order of their indices, adds them to a state: by the functor's
/// `void append(State&, T x, std::int64_t index)`, where it has one, or else by combine.
template <class F, class T>
struct Accumulator {
  using State = typename F::State;
  static constexpr bool appends = requires(const F& f, State s, T x) { f.append(s, x, std::int64_t{}); };

  const F& f;
  __device__ void add(State& s, T x, std::int64_t index) const {
    if constexpr (appends) f.append(s, x, index);
    else s = f.combine(s, element(x, index));
  }
  __device__ State element(T x, [[maybe_unused]] std::int64_t index) const {
    if constexpr (requires { f.element(x, index); }) return f.element(x, index);
    else return f.element(x);
  }
};

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

inline constexpr int in_flight = 4;  ///< loads of a thread before the first result is used

/// One thread's elements of one output, in four independent sums.
template <class T, class F, class Source>
__device__ typename F::State collect(const F& f, const Source& x, const Work& work, std::uint32_t first,
                                     std::uint32_t output, std::uint32_t lane) {
  const Accumulator<F, T> to{f};
  typename F::State s[in_flight] = {f.identity(), f.identity(), f.identity(), f.identity()};
  const auto total = [&] { return f.combine(f.combine(s[0], s[1]), f.combine(s[2], s[3])); };
  const std::uint32_t begin = blockIdx.y * work.split;
  const std::uint32_t end = work.reduced.count - begin < work.split ? work.reduced.count : begin + work.split;
  if constexpr (Source::width > 1) {
    if (work.pack_width > 1) {
      constexpr std::uint32_t width = Source::width;
      const std::uint32_t step = work.lanes * width;
      const auto take = [&](const typename Source::Raw& raw, std::uint32_t r) {
        MINIMA_UNROLL
        for (std::uint32_t c = 0; c < width; ++c)
          to.add(s[c % in_flight], x.template item<T>(raw, static_cast<int>(c), output), work.first_index + r + c);
      };
      std::uint32_t r = begin + lane * width;
      for (; r < end && end - r > (in_flight - 1) * step; r += in_flight * step) {
        typename Source::Raw raw[in_flight];
        MINIMA_UNROLL
        for (int n = 0; n < in_flight; ++n) raw[n] = x.load_raw(first + r + static_cast<std::uint32_t>(n) * step);
        MINIMA_UNROLL
        for (int n = 0; n < in_flight; ++n) take(raw[n], r + static_cast<std::uint32_t>(n) * step);
      }
      for (; r < end; r += step) take(x.load_raw(first + r), r);
      return total();
    }
  }
  const auto place = [&](std::uint32_t r) { return first + Offsets<1>(work.reduced, r).of[0]; };
  std::uint32_t r = begin + lane;
  for (; r + (in_flight - 1) * work.lanes < end; r += in_flight * work.lanes) {
    std::uint32_t at[in_flight];
    T element[in_flight];
    MINIMA_UNROLL
    for (int n = 0; n < in_flight; ++n) at[n] = place(r + static_cast<std::uint32_t>(n) * work.lanes);
    MINIMA_UNROLL
    for (int n = 0; n < in_flight; ++n) element[n] = x.template load<T>(at[n], output);
    MINIMA_UNROLL
    for (int n = 0; n < in_flight; ++n)
      to.add(s[n], element[n], work.first_index + r + static_cast<std::uint32_t>(n) * work.lanes);
  }
  for (; r < end; r += work.lanes) to.add(s[0], x.template load<T>(place(r), output), work.first_index + r);
  return total();
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

  states[threadIdx.x] = exists ? collect<T>(f, x, work, at.of[0], output, lane) : f.identity();
  const unsigned step = work.is_row ? 1 : per_block;
  for (unsigned half = work.lanes / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lane < half) states[threadIdx.x] = f.combine(states[threadIdx.x], states[threadIdx.x + half * step]);
  }
  if (lane != 0 || !exists) return;
  if (partial)
    partial[static_cast<std::size_t>(work.first_part + blockIdx.y) * work.outputs.count + output] = states[threadIdx.x];
  else write_result(f, states[threadIdx.x], results, at.of + 1);
}

/// Outputs that are neighbours in memory, when their elements are not: a thread has a pack of them, and reads four rows
/// at a time. Blocks as above, their columns being packs.
template <class T, class F, class Source>
__global__ void __launch_bounds__(reduce_threads)
    reduce_columns_kernel(const F f, const Source x, const Work work, typename F::State* partial,
                          const Results results) {
  using State = typename F::State;
  constexpr int width = Source::width, room = 16384 / (reduce_threads * sizeof(State));
  constexpr int together = room < 1 ? 1 : room < width ? room : width;
  __shared__ State states[together][reduce_threads];
  const unsigned per_block = blockDim.x / work.lanes;
  const unsigned lane = threadIdx.x / per_block, column = threadIdx.x % per_block;
  const unsigned output = (blockIdx.x * per_block + column) * static_cast<unsigned>(width);
  const bool exists = output < work.outputs.count;

  const Accumulator<F, T> to{f};
  State sums[width];
  MINIMA_UNROLL
  for (int c = 0; c < width; ++c) sums[c] = f.identity();
  if (exists) {
    const std::uint32_t first = Offsets<3>(work.outputs, output).of[0];
    const std::uint32_t begin = blockIdx.y * work.split;
    const std::uint32_t end = work.reduced.count - begin < work.split ? work.reduced.count : begin + work.split;
    const auto place = [&](std::uint32_t r) { return first + Offsets<1>(work.reduced, r).of[0]; };
    const auto take = [&](const typename Source::Raw& raw, std::uint32_t r) {
      MINIMA_UNROLL
      for (int c = 0; c < width; ++c)
        to.add(sums[c], x.template item<T>(raw, c, output + static_cast<unsigned>(c)), work.first_index + r);
    };
    std::uint32_t r = begin + lane;
    for (; r + (in_flight - 1) * work.lanes < end; r += in_flight * work.lanes) {
      std::uint32_t at[in_flight];
      typename Source::Raw raw[in_flight];
      MINIMA_UNROLL
      for (int n = 0; n < in_flight; ++n) at[n] = place(r + static_cast<std::uint32_t>(n) * work.lanes);
      MINIMA_UNROLL
      for (int n = 0; n < in_flight; ++n) raw[n] = x.load_raw(at[n]);
      if constexpr (Accumulator<F, T>::appends) {
        MINIMA_UNROLL
        for (int n = 0; n < in_flight; ++n) take(raw[n], r + static_cast<std::uint32_t>(n) * work.lanes);
      } else {
        MINIMA_UNROLL
        for (int c = 0; c < width; ++c) {
          const auto of = [&](int n) {
            return to.element(x.template item<T>(raw[n], c, output + static_cast<unsigned>(c)),
                              work.first_index + r + static_cast<std::uint32_t>(n) * work.lanes);
          };
          sums[c] = f.combine(sums[c], f.combine(f.combine(of(0), of(1)), f.combine(of(2), of(3))));
        }
      }
    }
    for (; r < end; r += work.lanes) take(x.load_raw(place(r)), r);
  }

  MINIMA_UNROLL
  for (int from = 0; from < width; from += together) {
    MINIMA_UNROLL
    for (int c = 0; c < together; ++c) states[c][threadIdx.x] = sums[from + c];
    for (unsigned half = work.lanes / 2; half > 0; half /= 2) {
      __syncthreads();
      if (lane < half) MINIMA_UNROLL
      for (int c = 0; c < together; ++c)
        states[c][threadIdx.x] = f.combine(states[c][threadIdx.x], states[c][threadIdx.x + half * per_block]);
    }
    if (lane == 0 && exists) MINIMA_UNROLL
    for (int c = 0; c < together; ++c) {
      const unsigned own = output + static_cast<unsigned>(from + c);
      const Offsets<3> at(work.outputs, own);
      if (partial)
        partial[static_cast<std::size_t>(work.first_part + blockIdx.y) * work.outputs.count + own] =
            states[c][threadIdx.x];
      else write_result(f, states[c][threadIdx.x], results, at.of + 1);
    }
    if (from + together < width) __syncthreads();  // before the next states
  }
}

inline constexpr unsigned combine_lanes = 16;

/// Blocks of 32 outputs: each row of threads combines every 16th partial state, then a tree the rows.
template <class F>
__global__ void __launch_bounds__(cuda::warp* combine_lanes)
    combine_parts_kernel(const F f, const Geometry outputs, std::uint32_t parts, const typename F::State* partial,
                         const Results results) {
  using State = typename F::State;
  __shared__ State states[combine_lanes][cuda::warp];
  const std::uint32_t output = blockIdx.x * cuda::warp + threadIdx.x;
  const bool exists = output < outputs.count;
  State state = f.identity();
  if (exists)
    for (std::uint32_t p = threadIdx.y; p < parts; p += in_flight * combine_lanes) {
      State next[in_flight];
      MINIMA_UNROLL
      for (int n = 0; n < in_flight; ++n) {
        const std::uint32_t part = p + static_cast<std::uint32_t>(n) * combine_lanes;
        next[n] = part < parts ? partial[static_cast<std::size_t>(part) * outputs.count + output] : f.identity();
      }
      state = f.combine(state, f.combine(f.combine(next[0], next[1]), f.combine(next[2], next[3])));
    }
  states[threadIdx.y][threadIdx.x] = state;
  for (unsigned half = combine_lanes / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.y < half)
      states[threadIdx.y][threadIdx.x] =
          f.combine(states[threadIdx.y][threadIdx.x], states[threadIdx.y + half][threadIdx.x]);
  }
  if (threadIdx.y != 0 || !exists) return;
  const Offsets<3> at(outputs, output);
  write_result(f, states[0][threadIdx.x], results, at.of + 1);
}

}  // namespace minima::reduction
