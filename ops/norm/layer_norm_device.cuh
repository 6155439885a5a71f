#pragma once

#include <minima/ops/loops/math/math.h>
#include <minima/ops/loops/kernel.cuh>
#include <minima/ops/loops/lines/lines.cuh>
#include <minima/ops/loops/lines/team.cuh>

namespace minima::detail {

using cuda::Compute;

/// weight or bias, or null.
template <class T>
struct Affine {
  const T* data;
  __device__ T at(std::int64_t i, T otherwise) const { return data ? data[i] : otherwise; }
  template <int width> __device__ cuda::Pack<T, width> pack_at(std::int64_t i, T otherwise) const {
    cuda::Pack<T, width> result;
    if (data) return cuda::load_pack<T, width>(data + i);
    for (int c = 0; c < width; ++c) result.items[c] = otherwise;
    return result;
  }
};

/// Holds what all rows of a call share. S is the dtype of x, Y that of y: the same, or S is float and Y a half type. A
/// branch is added to x first, and the sum saved. The statistics that are saved are those of `sum`, if there is a
/// branch; y is normalised by those of the sum before rounding.
template <class S, class Y>
struct LayerNormCall {
  using T = Compute<S>;
  const S* x;
  const Y* branch;
  S* sum;
  std::int64_t rows, n;
  Affine<T> weight, bias;
  double eps;
  bool centered;  ///< otherwise no mean is subtracted
  Y* y;
  T *means, *rstds;

  /// Whether the saved statistics differ from those of y.
  __device__ bool rounds() const { return sizeof(S) < sizeof(T) && branch && rstds; }
  __device__ void save(std::int64_t row, T mean, T rstd) const {
    if (threadIdx.x != 0) return;
    if (means) means[row] = mean;
    if (rstds) rstds[row] = rstd;
  }
};

/// Mean (0 unless centered) and 1 / √(var + eps) of a row; for_each(f) calls f with this thread's elements.
template <class T>
struct RowStatistics {
  T mean, rstd;
  template <class ForEach>
  __device__ RowStatistics(std::int64_t n, bool centered, double eps, cuda::Scratch<T>& scratch,
                           const ForEach& for_each) {
    T sum = 0, squares = 0;
    if (centered) for_each([&](T value) { sum += value; });
    mean = centered ? cuda::over_block(sum, cuda::Plus(), T(0), scratch) / static_cast<T>(n) : T(0);
    for_each([&](T value) { squares += (value - mean) * (value - mean); });
    const T var = cuda::over_block(squares, cuda::Plus(), T(0), scratch) / static_cast<T>(n);
    rstd = 1 / math::sqrt(var + static_cast<T>(eps));
  }
};

inline constexpr int norm_packs = 4, norm_gradient_packs = 2;

/// Rows in registers; see cuda::row_block for the threads of a row.
template <class S, class Y>
__global__ void __launch_bounds__(512) layer_norm_packed_kernel(const LayerNormCall<S, Y> call) {
  using T = Compute<S>;
  using Row = cuda::RowPacks<norm_packs, S>;
  constexpr int width = Row::width;
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y, n = call.n;
  if (row >= call.rows) return;  // the row's whole warp
  Row x;
  cuda::RowPacks<norm_packs, Y, width> branch;
  x.load(call.x + row * n, n);
  if (call.branch) branch.load(call.branch + row * n, n);
  T values[norm_packs][width];
  MINIMA_UNROLL
  for (int p = 0; p < norm_packs; ++p) MINIMA_UNROLL
  for (int c = 0; c < width; ++c) {
    values[p][c] = static_cast<T>(x.of[p].items[c]);
    if (call.branch) values[p][c] += static_cast<T>(branch.of[p].items[c]);
  }
  if (call.branch)
    cuda::for_packs<norm_packs, S>(n, [&](int p, std::int64_t place) {
      MINIMA_UNROLL
      for (int c = 0; c < width; ++c) x.of[p].items[c] = static_cast<S>(values[p][c]);
      cuda::store_pack(call.sum + row * n + place, x.of[p]);
    });
  const RowStatistics<T> own(n, call.centered, call.eps, scratch, [&](const auto& f) {
    cuda::for_packs<norm_packs, S>(n, [&](int p, std::int64_t) {
      MINIMA_UNROLL
      for (int c = 0; c < width; ++c) f(values[p][c]);
    });
  });
  cuda::for_packs<norm_packs, S>(n, [&](int p, std::int64_t place) {
    const auto weight = call.weight.template pack_at<width>(place, T(1));
    const auto bias = call.bias.template pack_at<width>(place, T(0));
    cuda::Pack<Y, width> y;
    MINIMA_UNROLL
    for (int c = 0; c < width; ++c)
      y.items[c] = static_cast<Y>((values[p][c] - own.mean) * own.rstd * weight.items[c] + bias.items[c]);
    cuda::store_pack(call.y + row * n + place, y);
  });
  if (!call.rounds()) return call.save(row, own.mean, own.rstd);
  const RowStatistics<T> saved(n, call.centered, call.eps, scratch, [&](const auto& f) {
    cuda::for_packs<norm_packs, S>(n, [&](int p, std::int64_t) {
      MINIMA_UNROLL
      for (int c = 0; c < width; ++c) f(static_cast<T>(x.of[p].items[c]));
    });
  });
  call.save(row, saved.mean, saved.rstd);
}

/// Rows of any length and alignment: one block each.
template <class S, class Y>
__global__ void __launch_bounds__(512) layer_norm_kernel(const LayerNormCall<S, Y> call) {
  using T = Compute<S>;
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
  const std::int64_t row = blockIdx.x, n = call.n;
  const S* const x = call.x + row * n;
  const Y* const branch = call.branch ? call.branch + row * n : nullptr;
  const auto value = [&](std::int64_t i) {  // the sum before rounding
    return branch ? static_cast<T>(x[i]) + static_cast<T>(branch[i]) : static_cast<T>(x[i]);
  };
  const RowStatistics<T> own(n, call.centered, call.eps, scratch, [&](const auto& f) {
    for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) f(value(i));
  });
  const bool rounds = call.rounds();
  const RowStatistics<T> saved =
      !rounds ? own : RowStatistics<T>(n, call.centered, call.eps, scratch, [&](const auto& f) {
        for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) f(static_cast<T>(static_cast<S>(value(i))));
      });
  for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    const T sum = value(i);
    if (branch) call.sum[row * n + i] = static_cast<S>(sum);
    call.y[row * n + i] = static_cast<Y>((sum - own.mean) * own.rstd * call.weight.at(i, T(1)) + call.bias.at(i, T(0)));
  }
  call.save(row, saved.mean, saved.rstd);
}

/// Holds what the rows of a gradient share. `partial` [chunks, 2, n] receives each chunk's share of the gradients of
/// weight and bias (null: neither is wanted). `also`, unless null, is added to dx, and may be the same memory;
/// `branch`, unless null, receives dx in the dtype of y. Null means say that no mean was subtracted.
template <class S, class Y>
struct LayerNormGradientCall {
  using T = Compute<S>;
  const Y* g;
  const S* x;
  std::int64_t rows, n, chunk;
  Affine<T> weight;
  const T *means, *rstds;
  const S* also;
  S* dx;
  Y* branch;
  T* partial;

  __device__ bool wants_x() const { return dx || branch; }
};

/// A chunk of rows for each group of threads along x: dx of each row, whose successor is loaded meanwhile. A thread
/// sums the gradients of its columns' weights and biases in registers, so the order of the sums is fixed.
template <class S, class Y>
__global__ void __launch_bounds__(512) layer_norm_gradient_packed_kernel(const LayerNormGradientCall<S, Y> call) {
  using T = Compute<S>;
  constexpr int packs = norm_gradient_packs;
  using Row = cuda::RowPacks<packs, S>;
  constexpr int width = Row::width;
  using Slopes = cuda::RowPacks<packs, Y, width>;
  __shared__ T scratch[2][2][cuda::warp];  // of every other row, so that one barrier per row is enough
  const std::int64_t chunk = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y, n = call.n;
  const std::int64_t first = chunk * call.chunk, last = first + call.chunk < call.rows ? first + call.chunk : call.rows;
  if (first >= last) return;  // the chunk's whole warp
  const unsigned lane = threadIdx.x % cuda::warp, warps = blockDim.x / cuda::warp;
  T dweight[packs][width] = {}, dbias[packs][width] = {};
  Slopes g;
  Row x;
  g.load(call.g + first * n, n);
  x.load(call.x + first * n, n);
  for (std::int64_t row = first; row < last; ++row) {
    Slopes next_g;
    Row next_x, also;
    if (row + 1 < last) {
      next_g.load(call.g + (row + 1) * n, n);
      next_x.load(call.x + (row + 1) * n, n);
    }
    if (call.also) also.load(call.also + row * n, n);
    const T mean = call.means ? call.means[row] : T(0), rstd = call.rstds[row];
    T level = 0, slope = 0;
    cuda::for_packs<packs, S>(n, [&](int p, std::int64_t place) {
      const auto weight = call.weight.template pack_at<width>(place, T(1));
      MINIMA_UNROLL
      for (int c = 0; c < width; ++c) {
        const T gradient = static_cast<T>(g.of[p].items[c]), unit = (static_cast<T>(x.of[p].items[c]) - mean) * rstd;
        const T scaled = gradient * weight.items[c];
        level += scaled;
        slope += scaled * unit;
        dweight[p][c] += gradient * unit;
        dbias[p][c] += gradient;
      }
    });
    if (call.wants_x()) {
      level = cuda::over_warp(level, cuda::Plus());
      slope = cuda::over_warp(slope, cuda::Plus());
      if (warps > 1) {
        T(&sums)[2][cuda::warp] = scratch[(row - first) % 2];
        if (lane == 0) {
          sums[0][threadIdx.x / cuda::warp] = level;
          sums[1][threadIdx.x / cuda::warp] = slope;
        }
        __syncthreads();
        level = cuda::over_warp(lane < warps ? sums[0][lane] : T(0), cuda::Plus());
        slope = cuda::over_warp(lane < warps ? sums[1][lane] : T(0), cuda::Plus());
      }
      level = call.means ? level / static_cast<T>(n) : T(0);
      slope /= static_cast<T>(n);
      cuda::for_packs<packs, S>(n, [&](int p, std::int64_t place) {
        const auto weight = call.weight.template pack_at<width>(place, T(1));
        cuda::Pack<S, width> dx;
        cuda::Pack<Y, width> branch;
        MINIMA_UNROLL
        for (int c = 0; c < width; ++c) {
          const T unit = (static_cast<T>(x.of[p].items[c]) - mean) * rstd;
          const T through = rstd * (static_cast<T>(g.of[p].items[c]) * weight.items[c] - level - unit * slope);
          const T sum = call.also ? through + static_cast<T>(also.of[p].items[c]) : through;
          dx.items[c] = static_cast<S>(sum);
          branch.items[c] = static_cast<Y>(sum);
        }
        if (call.dx) cuda::store_pack(call.dx + row * n + place, dx);
        if (call.branch) cuda::store_pack(call.branch + row * n + place, branch);
      });
    }
    g = next_g;
    x = next_x;
  }
  if (!call.partial) return;
  T* const to = call.partial + 2 * chunk * n;
  cuda::for_packs<packs, S>(n, [&](int p, std::int64_t place) {
    cuda::Pack<T, width> weight, bias;
    MINIMA_UNROLL
    for (int c = 0; c < width; ++c) {
      weight.items[c] = dweight[p][c];
      bias.items[c] = dbias[p][c];
    }
    cuda::store_pack(to + place, weight);
    cuda::store_pack(to + n + place, bias);
  });
}

/// The same for rows of any length and alignment: one block per chunk, sums in memory.
template <class S, class Y>
__global__ void __launch_bounds__(512) layer_norm_gradient_kernel(const LayerNormGradientCall<S, Y> call) {
  using T = Compute<S>;
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
  const std::int64_t n = call.n, first = blockIdx.x * call.chunk;
  const std::int64_t last = first + call.chunk < call.rows ? first + call.chunk : call.rows;
  T* const partial = call.partial;
  T* const dweight = partial ? partial + 2 * blockIdx.x * n : nullptr;
  T* const dbias = partial ? dweight + n : nullptr;
  for (std::int64_t row = first; row < last; ++row) {
    const Y* const gs = call.g + row * n;
    const S* const xs = call.x + row * n;
    const T mean = call.means ? call.means[row] : T(0), rstd = call.rstds[row];
    T level = 0, slope = 0;
    for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) {
      const T gradient = static_cast<T>(gs[i]), unit = (static_cast<T>(xs[i]) - mean) * rstd;
      const T scaled = gradient * call.weight.at(i, T(1));
      level += scaled;
      slope += scaled * unit;
      if (partial) {
        dweight[i] = (row == first ? T(0) : dweight[i]) + gradient * unit;
        dbias[i] = (row == first ? T(0) : dbias[i]) + gradient;
      }
    }
    if (!call.wants_x()) continue;
    level = !call.means ? T(0) : cuda::over_block(level, cuda::Plus(), T(0), scratch) / static_cast<T>(n);
    slope = cuda::over_block(slope, cuda::Plus(), T(0), scratch) / static_cast<T>(n);
    for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) {
      const T unit = (static_cast<T>(xs[i]) - mean) * rstd;
      const T through = rstd * (static_cast<T>(gs[i]) * call.weight.at(i, T(1)) - level - unit * slope);
      const T sum = call.also ? through + static_cast<T>(call.also[row * n + i]) : through;
      if (call.dx) call.dx[row * n + i] = static_cast<S>(sum);
      if (call.branch) call.branch[row * n + i] = static_cast<Y>(sum);
    }
  }
}

/// Sums the chunks' shares [chunks, 2 · n]: a block per warp of columns, whose rows of threads each sum every 32nd
/// chunk and are then added in a tree. The first n columns are weights.
template <class T>
__global__ void __launch_bounds__(1024)
    add_chunks_kernel(const T* partial, std::int64_t chunks, std::int64_t n, T* dweight, T* dbias) {
  __shared__ T sums[cuda::warp][cuda::warp + 1];
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * cuda::warp + threadIdx.x;
  T sum[4] = {};
  if (column < 2 * n)
    for (std::int64_t first = threadIdx.y; first < chunks; first += 4 * cuda::warp) MINIMA_UNROLL
  for (int k = 0; k < 4; ++k)
    if (const std::int64_t c = first + k * static_cast<std::int64_t>(cuda::warp); c < chunks)
      sum[k] += partial[2 * c * n + column];
  sums[threadIdx.y][threadIdx.x] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (unsigned half = cuda::warp / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.y < half) sums[threadIdx.y][threadIdx.x] += sums[threadIdx.y + half][threadIdx.x];
  }
  if (threadIdx.y != 0 || column >= 2 * n) return;
  T* const to = column < n ? dweight : dbias;
  if (to) to[column < n ? column : column - n] = sums[0][threadIdx.x];
}

}  // namespace minima::detail
