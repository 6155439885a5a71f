#pragma once

#include <minima/ops/loops/math/math.h>
#include <minima/ops/pointwise/functors/activation.h>
#include <minima/ops/norm/channel_walk_device.cuh>

// Batch norm on CUDA: kernels that sum over the elements of each channel; kernels with half a warp for each channel,
// which combine these sums and derive what the elements need; and kernels that write elements.

namespace minima::detail {

using cuda::Compute;

// --- sums per channel ---

/// Two sums over elements of a channel: for the moments Σ (x - origin) and Σ (x - origin)², the origin being the first
/// element of the channel; for the gradient Σ g and Σ g · (x - mean).
struct ChannelSums {
  double first, second;
  __device__ ChannelSums operator+(const ChannelSums& b) const { return {first + b.first, second + b.second}; }
};

/// The sums of all blocks, [channels, parts], and for moments the origins, [channels]; in S, double.
template <class S>
struct PartialSums {
  ChannelSums* data;
  S* origins;
  std::uint32_t parts;
};

/// Adds the sums of the block's threads, of(c) for channel c of the thread's column, and stores them.
template <class P, class Of>
__device__ void store_sums(const Seat<P>& seat, const PartialSums<double>& partial, const Of& of) {
  constexpr int together = P::channels < 4 ? P::channels : 4;  // 16 KB
  __shared__ ChannelSums sums[together][ChannelWalk::threads];
  const std::uint32_t own = threadIdx.x, part = seat.walk.first_split + blockIdx.y;
  MINIMA_UNROLL
  for (int from = 0; from < P::channels; from += together) {
    MINIMA_UNROLL
    for (int c = 0; c < together; ++c) sums[c][own] = of(from + c);
    for (std::uint32_t half = seat.walk.lanes / 2; half > 0; half /= 2) {
      __syncthreads();
      if (seat.lane < half) MINIMA_UNROLL
      for (int c = 0; c < together; ++c) sums[c][own] = sums[c][own] + sums[c][own + half * seat.together];
    }
    if (seat.lane == 0 && seat.exists()) MINIMA_UNROLL
    for (int c = 0; c < together; ++c) partial.data[(seat.channel() + from + c) * partial.parts + part] = sums[c][own];
    if (from + together < P::channels) __syncthreads();  // before the next sums
  }
}

inline constexpr int moments_blocks = 4, slopes_blocks = 3;  ///< that a multiprocessor shall hold

/// Moments. A thread sums x - s and its square in T, where s is the first of its numbers in the channel, so neither
/// precision nor speed depends on double; threads are combined in double. The origin is an element, hence at most √n
/// standard deviations from the mean, and to subtract it again costs a relative error of n roundings of double.
template <class X, class P>
__global__ void __launch_bounds__(ChannelWalk::threads, moments_blocks)
    channel_moments_kernel(const X* x, const ChannelWalk walk, std::int64_t inner, const PartialSums<double> partial) {
  using T = Compute<X>;
  constexpr int width = P::width, channels = P::channels;
  const Seat<P> seat(walk);
  __shared__ cuda::Pack<T, channels> memory[1][cuda::warp];
  const ChannelTable<1, T, P> table(memory, seat, [&](T(&values)[1], std::int64_t channel) {
    values[0] = static_cast<T>(x[channel * inner]);
    if (walk.first_split + blockIdx.y == 0) partial.origins[channel] = static_cast<double>(values[0]);
  });
  T shift[channels] = {}, sum[channels] = {}, squares[channels] = {};
  std::uint32_t packs = 0;
  if (const std::uint32_t first = seat.begin + seat.lane; seat.exists() && first < seat.end) {
    packs = (seat.end - first + walk.lanes - 1) / walk.lanes;
    const auto load = [&](std::int64_t at) { return cuda::load_pack<X, width>(x + at); };
    const auto start = load(seat.place(first));
    MINIMA_UNROLL
    for (int c = 0; c < channels; ++c) shift[c] = static_cast<T>(start.items[c]);
    seat.template for_packs<4>(load, [&](const cuda::Pack<X, width>& pack, std::int64_t) {
      MINIMA_UNROLL
      for (int c = 0; c < width; ++c) {
        const T distance = static_cast<T>(pack.items[c]) - shift[c % channels];
        sum[c % channels] += distance;
        squares[c % channels] += distance * distance;
      }
    });
  }
  const double count = static_cast<double>(packs) * (width / channels);
  store_sums(seat, partial, [&](int c) -> ChannelSums {
    if (packs == 0) return {0, 0};
    const double from_origin =
        static_cast<double>(shift[c]) - static_cast<double>(table.of[0][seat.place_in_block].items[c]);
    const double total = static_cast<double>(sum[c]), moved = count * from_origin;
    return {total + moved, static_cast<double>(squares[c]) + from_origin * (2 * total + moved)};
  });
}

/// y before the epilogue; scale is rstd · weight.
template <class T> __device__ T normalized(T x, T mean, T scale, T shift) { return (x - mean) * scale + shift; }

template <class T> __device__ T scale_of(T rstd, const T* weight, std::int64_t c) {
  return weight ? rstd * weight[c] : rstd;
}

/// bias, or without relu infinity, with which every gradient passes.
template <class T> __device__ T shift_of(bool relu, const T* bias, std::int64_t c) {
  if (!relu) return math::cpu::Format<T>::infinity;
  return bias ? bias[c] : T(0);
}

/// The largest number that X rounds to 0.
template <class X> inline constexpr Compute<X> rounded_to_zero = 0;
template <> inline constexpr float rounded_to_zero<Float16> = 0x1p-25f;
template <> inline constexpr float rounded_to_zero<BFloat16> = 0x1p-134f;

/// g where relu passed it on, else 0; the gradient passes at NaN. The sign of y is that of `before`, which is y before
/// relu and before rounding.
template <class X, class T> __device__ T passed(T g, T before) { return before <= rounded_to_zero<X> ? T(0) : g; }

/// The gradient's sums are of these. With relu and no residual, y is computed again from x; with a residual, y is read,
/// and `before`, which may be g, receives what relu passed on.
template <class X>
struct SlopeInputs {
  using T = Compute<X>;
  const X *g, *x;
  const T *mean, *rstd, *weight, *bias;  ///< weight and bias may be null
  bool relu;
  const X* y;
  X* before;
};

template <bool reads_y, class X, class P>
__global__ void __launch_bounds__(ChannelWalk::threads, slopes_blocks)
    channel_slopes_kernel(const SlopeInputs<X> in, const ChannelWalk walk, const PartialSums<double> partial) {
  using T = Compute<X>;
  constexpr int width = P::width, channels = P::channels, tables = reads_y ? 1 : 3;
  using Pack = cuda::Pack<X, width>;
  struct Raw {
    Pack g, x, y;
  };
  const Seat<P> seat(walk);
  __shared__ cuda::Pack<T, channels> memory[tables][cuda::warp];
  const ChannelTable<tables, T, P> table(memory, seat, [&](T(&values)[tables], std::int64_t c) {
    values[0] = in.mean[c];
    if constexpr (!reads_y) {
      values[1] = scale_of(in.rstd[c], in.weight, c);
      values[2] = shift_of(in.relu, in.bias, c);
    }
  });
  T sum[channels] = {}, dot[channels] = {};
  if (seat.exists()) {
    const auto mean = table.of[0][seat.place_in_block];
    const auto scale = table.of[reads_y ? 0 : 1][seat.place_in_block];
    const auto shift = table.of[reads_y ? 0 : 2][seat.place_in_block];
    seat.template for_packs<2>(
        [&](std::int64_t at) {
          Raw raw;
          raw.g = cuda::load_pack<X, width>(in.g + at);
          raw.x = cuda::load_pack<X, width>(in.x + at);
          if constexpr (reads_y) raw.y = cuda::load_pack<X, width>(in.y + at);
          return raw;
        },
        [&](const Raw& raw, std::int64_t at) {
          Pack before;
          MINIMA_UNROLL
          for (int c = 0; c < width; ++c) {
            const int k = c % channels;
            const T x = static_cast<T>(raw.x.items[c]);
            T g = static_cast<T>(raw.g.items[c]);
            if constexpr (reads_y) g = pointwise::functor::ReluGradient{}(g, static_cast<T>(raw.y.items[c]));
            else g = passed<X>(g, normalized(x, mean.items[k], scale.items[k], shift.items[k]));
            sum[k] += g;
            dot[k] += g * (x - mean.items[k]);
            if constexpr (reads_y) before.items[c] = static_cast<X>(g);
          }
          if constexpr (reads_y) store(in.before + at, before);
        });
  }
  store_sums(seat, partial,
             [&](int c) -> ChannelSums { return {static_cast<double>(sum[c]), static_cast<double>(dot[c])}; });
}

// --- half a warp for each channel ---

inline constexpr unsigned lanes_of_a_channel = 16;

/// The channel of the thread; blocks are warps. At least as many as there are for a thread that has none.
__device__ inline std::int64_t channel_of_thread() {
  return (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / lanes_of_a_channel;
}
__device__ inline bool is_first_lane() { return threadIdx.x % lanes_of_a_channel == 0; }

/// The sums of the thread's channel, in all of its lanes. All threads of the warp must call it.
__device__ inline ChannelSums combined(const PartialSums<double>& partial, std::int64_t channel,
                                       std::int64_t channels) {
  constexpr std::uint32_t in_flight = 8, lanes = lanes_of_a_channel;
  const ChannelSums* const own = partial.data + channel * partial.parts;
  const std::uint32_t parts = channel < channels ? partial.parts : 0;
  ChannelSums all{0, 0};
  std::uint32_t p = threadIdx.x % lanes;
  for (; p + (in_flight - 1) * lanes < parts; p += in_flight * lanes) {
    ChannelSums next[in_flight];
    MINIMA_UNROLL
    for (std::uint32_t n = 0; n < in_flight; ++n) next[n] = own[p + n * lanes];
    MINIMA_UNROLL
    for (std::uint32_t n = 0; n < in_flight; ++n) all = all + next[n];
  }
  for (; p < parts; p += lanes) all = all + own[p];
  for (int by = lanes / 2; by > 0; by /= 2) {
    all.first += __shfl_xor_sync(cuda::whole_warp, all.first, by);
    all.second += __shfl_xor_sync(cuda::whole_warp, all.second, by);
  }
  return all;
}

/// [C] of any floating dtype, or null.
struct ChannelValues {
  void* data;
  DType dtype;
  std::int64_t stride;
  __device__ double at(std::int64_t c) const { return cuda::load_as<double>(data, c * stride, dtype); }
  __device__ void set(std::int64_t c, double value) const { cuda::store_as(data, c * stride, dtype, value); }
};

/// The numbers that normalise the elements of a channel, [C] each.
template <class T>
struct ChannelScales {
  T *mean, *rstd, *scale, *shift;
};

/// From the moments of `count` elements, or, if there are none, from the running statistics,
/// which moments update. Without either, mean 0 and variance 1.
template <class T>
__global__ void __launch_bounds__(cuda::warp)
    channel_statistics_kernel(std::int64_t channels, const PartialSums<double> partial, double count, double momentum,
                              double eps, const T* weight, const T* bias, const ChannelValues running_mean,
                              const ChannelValues running_var, const ChannelScales<T> to) {
  const std::int64_t c = channel_of_thread();
  const ChannelSums sums = combined(partial, c, channels);
  if (c >= channels || !is_first_lane()) return;
  double center = 0, inverse = 1;
  if (partial.parts > 0) {
    const double distance = sums.first / count, squares = sums.second - sums.first * distance;
    const double var = squares < 0 ? 0 : squares / count;
    center = partial.origins[c] + distance;
    inverse = 1 / math::sqrt(var + eps);
    if (running_mean.data) {
      running_mean.set(c, (1 - momentum) * running_mean.at(c) + momentum * center);
      running_var.set(c, (1 - momentum) * running_var.at(c) + momentum * var * (count / (count - 1)));
    }
  } else if (running_mean.data) {
    center = running_mean.at(c);
    inverse = 1 / math::sqrt(running_var.at(c) + eps);
  }
  to.mean[c] = static_cast<T>(center);
  to.rstd[c] = static_cast<T>(inverse);
  to.scale[c] = scale_of(to.rstd[c], weight, c);
  to.shift[c] = shift_of(true, bias, c);
}

/// The gradients of weight and bias, [C] or null, and the coefficients of dx, which is
/// of_g · g + of_x · (x - mean) + constant: [4, C] or null, the last of them the shift that tells where relu passed g.
template <class T>
struct ChannelGradientResults {
  T *weight, *bias, *coefficients;
};

template <class T>
__global__ void __launch_bounds__(cuda::warp)
    channel_gradients_kernel(std::int64_t channels, const PartialSums<double> partial, double count, bool training,
                             bool relu, const T* rstd, const T* weight, const T* bias,
                             const ChannelGradientResults<T> to) {
  const std::int64_t c = channel_of_thread();
  const ChannelSums sums = combined(partial, c, channels);
  if (c >= channels || !is_first_lane()) return;
  const auto inverse = static_cast<double>(rstd[c]);
  const double slope = sums.second * inverse;
  if (to.weight) to.weight[c] = static_cast<T>(slope);
  if (to.bias) to.bias[c] = static_cast<T>(sums.first);
  if (!to.coefficients) return;
  const T of_g = scale_of(rstd[c], weight, c);
  const double step = -static_cast<double>(of_g) / count;
  to.coefficients[c] = of_g;
  to.coefficients[channels + c] = training ? static_cast<T>(step * inverse * slope) : T(0);
  to.coefficients[2 * channels + c] = training ? static_cast<T>(step * sums.first) : T(0);
  to.coefficients[3 * channels + c] = shift_of(relu, bias, c);
}

// --- elements ---

template <bool adds, class X, class P>
__global__ void __launch_bounds__(ChannelWalk::threads, 4)
    normalize_channels_kernel(const X* x, const X* residual, const ChannelScales<const Compute<X>> by, bool relu,
                              const ChannelWalk walk, X* y) {
  using T = Compute<X>;
  using Pack = cuda::Pack<X, P::width>;
  struct Raw {
    Pack x, residual;
  };
  const Seat<P> seat(walk);
  __shared__ cuda::Pack<T, P::channels> memory[3][cuda::warp];
  const ChannelTable<3, T, P> table(memory, seat, [&](T(&values)[3], std::int64_t c) {
    values[0] = by.mean[c];
    values[1] = by.scale[c];
    values[2] = by.shift[c];
  });
  if (!seat.exists()) return;
  const auto mean = table.of[0][seat.place_in_block], scale = table.of[1][seat.place_in_block];
  const auto shift = table.of[2][seat.place_in_block];
  seat.template for_packs<adds ? 2 : 4>(
      [&](std::int64_t at) {
        Raw raw;
        raw.x = cuda::load_pack<X, P::width>(x + at);
        if constexpr (adds) raw.residual = cuda::load_pack<X, P::width>(residual + at);
        return raw;
      },
      [&](const Raw& raw, std::int64_t at) {
        Pack result;
        MINIMA_UNROLL
        for (int c = 0; c < P::width; ++c) {
          const int k = c % P::channels;
          T value = normalized(static_cast<T>(raw.x.items[c]), mean.items[k], scale.items[k], shift.items[k]);
          if constexpr (adds) value += static_cast<T>(raw.residual.items[c]);
          result.items[c] = static_cast<X>(relu ? pointwise::functor::Relu{}(value) : value);
        }
        store(y + at, result);
      });
}

/// Coefficients are those of channel_gradients_kernel.
template <class X, class P>
__global__ void __launch_bounds__(ChannelWalk::threads, 3)
    normalize_channels_gradient_kernel(const X* g, const X* x, const Compute<X>* means, const Compute<X>* coefficients,
                                       std::int64_t channels, const ChannelWalk walk, X* dx) {
  using T = Compute<X>;
  using Pack = cuda::Pack<X, P::width>;
  struct Raw {
    Pack g, x;
  };
  const Seat<P> seat(walk);
  __shared__ cuda::Pack<T, P::channels> memory[5][cuda::warp];
  const ChannelTable<5, T, P> table(memory, seat, [&](T(&values)[5], std::int64_t c) {
    values[0] = means[c];
    MINIMA_UNROLL
    for (int k = 0; k < 4; ++k) values[1 + k] = coefficients[k * channels + c];
  });
  if (!seat.exists()) return;
  const auto row = [&](int k) { return table.of[k][seat.place_in_block]; };
  const auto mean = row(0), of_g = row(1), of_x = row(2), constant = row(3), shift = row(4);
  seat.template for_packs<2>(
      [&](std::int64_t at) { return Raw{cuda::load_pack<X, P::width>(g + at), cuda::load_pack<X, P::width>(x + at)}; },
      [&](const Raw& raw, std::int64_t at) {
        Pack result;
        MINIMA_UNROLL
        for (int c = 0; c < P::width; ++c) {
          const int k = c % P::channels;
          const T element = static_cast<T>(raw.x.items[c]), m = mean.items[k];
          const T slope =
              passed<X>(static_cast<T>(raw.g.items[c]), normalized(element, m, of_g.items[k], shift.items[k]));
          result.items[c] = static_cast<X>(of_g.items[k] * slope + of_x.items[k] * (element - m) + constant.items[k]);
        }
        store(dx + at, result);
      });
}

}  // namespace minima::detail
