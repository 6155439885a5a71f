#include <minima/ops/norm/kernels.h>

#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/loops/elements.h>
#include <minima/ops/loops/lines/lanes.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::detail {

namespace {

constexpr double cost = 0.6;

std::size_t size_for(std::int64_t n) { return static_cast<std::size_t>(n); }

/// Rows of a tensor as T: in place, or converted one row at a time.
template <class T>
class Rows {
 public:
  Rows(const Tensor& x, std::int64_t n)
      : data_(static_cast<char*>(x.raw_data())),
        n_(n),
        bytes_(n * static_cast<std::int64_t>(x.itemsize())),
        load_(pointwise::converter(dtype_of<T>, x.dtype())),
        store_(pointwise::converter(x.dtype(), dtype_of<T>)),
        buffer_(load_ ? size_for(n) : 0) {}
  T* read(std::int64_t row) {
    if (load_) load_(buffer_.data(), data_ + row * bytes_, n_);
    return target(row);
  }
  /// Where the row will be read, or written: memory to request early.
  const T* ahead(std::int64_t row) { return target(row); }
  T* target(std::int64_t row) { return load_ ? buffer_.data() : reinterpret_cast<T*>(data_ + row * bytes_); }
  void write(std::int64_t row) {
    if (store_) store_(data_ + row * bytes_, buffer_.data(), n_);
  }

 private:
  char* data_;
  std::int64_t n_, bytes_;
  pointwise::Convert load_, store_;
  std::vector<T> buffer_;
};

template <class T> std::vector<T> values_or(const Tensor& values, std::int64_t n, T otherwise) {
  std::vector<T> result(size_for(n), otherwise);
  if (values.defined())
    copy_kernel_cpu(values, from_blob(result.data(), Layout::contiguous(values.shape()), {.dtype = dtype_of<T>}));
  return result;
}

template <class T>
void normalize(const T* __restrict x, T* __restrict y, const T* __restrict weight, const T* __restrict bias,
               std::int64_t n, T mean, T rstd, const T* next) {
  for_cache_lines<T>(
      n, [=](std::int64_t i) { __builtin_prefetch(next + i); },
      [=](std::int64_t i) { y[i] = (x[i] - mean) * rstd * weight[i] + bias[i]; });
}

/// Adds one row to the gradients of weight and bias.
template <class T>
void accumulate(const T* __restrict g, const T* __restrict x, T* __restrict dweight, T* __restrict dbias,
                std::int64_t n, T mean, T rstd) {
  for (std::int64_t i = 0; i < n; ++i) {
    dweight[i] += g[i] * ((x[i] - mean) * rstd);
    dbias[i] += g[i];
  }
}

/// The memory of the row to come.
template <class T>
struct Ahead {
  const T *g, *x, *dx;
};

/// dx of one row; unless dweight is null, also adds the row to the gradients of weight and bias.
template <class T>
void row_gradient(const T* __restrict g, const T* __restrict x, const T* __restrict weight, T* __restrict dx,
                  T* __restrict dweight, T* __restrict dbias, std::int64_t n, bool centered, T mean, T rstd,
                  const Ahead<T>& ahead) {
  const auto [by_level, by_slope] = lane_sums<T>(
      n, [=](std::int64_t i) { return g[i] * weight[i]; },
      [=](std::int64_t i) { return g[i] * weight[i] * ((x[i] - mean) * rstd); });
  const double count = static_cast<double>(n);
  const T level = centered ? static_cast<T>(by_level / count) : T(0), slope = static_cast<T>(by_slope / count);
  const auto of = [=](std::int64_t i, T normal) { return rstd * (g[i] * weight[i] - level - normal * slope); };
  const auto request = [=](std::int64_t i) {
    __builtin_prefetch(ahead.g + i);
    __builtin_prefetch(ahead.x + i);
    __builtin_prefetch(ahead.dx + i, 1);
  };
  if (!dweight) return for_cache_lines<T>(n, request, [=](std::int64_t i) { dx[i] = of(i, (x[i] - mean) * rstd); });
  for_cache_lines<T>(n, request, [=](std::int64_t i) {
    const T normal = (x[i] - mean) * rstd;
    dx[i] = of(i, normal);
    dweight[i] += g[i] * normal;
    dbias[i] += g[i];
  });
}

/// The number that is subtracted from a row, and the factor that it is then multiplied by.
template <class T>
struct Statistics {
  T mean, rstd;
  Statistics(const T* x, std::int64_t n, const RowNorm& norm) {
    const double count = static_cast<double>(n);
    const T center =
        !norm.centered ? T(0) : static_cast<T>(lane_sum<T>(n, [=](std::int64_t i) { return x[i]; }) / count);
    const double var = lane_sum<T>(n, [=](std::int64_t i) { return (x[i] - center) * (x[i] - center); }) / count;
    mean = center;
    rstd = static_cast<T>(1 / std::sqrt(var + norm.eps));
  }
};

/// y = normalized rows of x, or of branch + x if the branch is defined; the sum is then saved.
template <class T>
void run(const Tensor& branch, const Tensor& x, std::int64_t n, const Tensor& weight, const Tensor& bias,
         const RowNorm& norm, const Tensor& sum, const Tensor& y, const Tensor& mean, const Tensor& rstd) {
  const std::vector<T> scale = values_or<T>(weight, n, 1), shift = values_or<T>(bias, n, 0);
  minima::parallel_for(
      0, x.numel() / n, grain_for(cost * static_cast<double>(n)), [&](std::int64_t first, std::int64_t last) {
        Rows<T> in(x, n), other(branch.defined() ? branch : x, n), total(branch.defined() ? sum : y, n), out(y, n);
        for (std::int64_t row = first; row < last; ++row) {
          const T* from = in.read(row);
          if (branch.defined()) {
            const T* const added = other.read(row);
            T* const to = total.target(row);
            for (std::int64_t i = 0; i < n; ++i) to[i] = from[i] + added[i];
            total.write(row);
            from = to;  // before rounding
          }
          Statistics<T> s(from, n, norm);
          normalize(from, out.target(row), scale.data(), shift.data(), n, s.mean, s.rstd,
                    in.ahead(std::min(row + 1, last - 1)));
          out.write(row);
          // The gradient reads the rounded sum, and needs that row's statistics.
          if (branch.defined() && is_half(x.dtype())) s = Statistics<T>(total.read(row), n, norm);
          if (mean.defined()) mean.data<T>()[row] = s.mean;
          if (rstd.defined()) rstd.data<T>()[row] = s.rstd;
        }
      });
}

}  // namespace

void layer_norm_kernel_cpu(const Tensor& x, std::int64_t n, const Tensor& weight, const Tensor& bias,
                           const RowNorm& norm, Tensor& y, const Tensor& mean, const Tensor& rstd) {
  if (x.numel() == 0) return;
  dispatch<full_floating>(compute_dtype(x.dtype()), "layer_norm",
                          [&]<class T> { run<T>({}, x, n, weight, bias, norm, {}, y, mean, rstd); });
}

void add_layer_norm_kernel_cpu(const Tensor& branch, const Tensor& x, std::int64_t n, const Tensor& weight,
                               const Tensor& bias, const RowNorm& norm, Tensor& sum, Tensor& y, const Tensor& mean,
                               const Tensor& rstd) {
  if (x.numel() == 0) return;
  dispatch<full_floating>(compute_dtype(x.dtype()), "add_layer_norm",
                          [&]<class T> { run<T>(branch, x, n, weight, bias, norm, sum, y, mean, rstd); });
}

void layer_norm_gradient_kernel_cpu(const Tensor& g, const Tensor& x, std::int64_t n, const Tensor& weight,
                                    const Tensor& mean, const Tensor& rstd, const LayerNormGradients& into,
                                    const Tensor& also) {
  const std::int64_t rows = n == 0 ? 0 : x.numel() / n;
  // The shape alone determines the chunks of rows. Each sums its gradients of weight and bias; the partial sums are
  // added in order.
  const std::int64_t chunk = std::max<std::int64_t>(16, (rows + 63) / 64), chunks = (rows + chunk - 1) / chunk;
  const bool affine = into.weight.defined() || into.bias.defined();
  const Tensor& dx = into.x.defined() ? into.x : into.branch;
  dispatch<full_floating>(compute_dtype(x.dtype()), "layer_norm", [&]<class T> {
    const std::vector<T> scale = values_or<T>(weight, n, 1);
    std::vector<T> partial(affine ? size_for(2 * chunks * n) : 0);
    const std::int64_t grain = std::max<std::int64_t>(1, grain_for(2 * cost * static_cast<double>(n * chunk)));
    minima::parallel_for(0, chunks, grain, [&](std::int64_t first, std::int64_t last) {
      Rows<T> gradients(g, n), values(x, n), added(also.defined() ? also : x, n), out(dx.defined() ? dx : x, n);
      Rows<T> branch(into.branch.defined() ? into.branch : x, n);
      for (std::int64_t c = first; c < last; ++c)
        for (std::int64_t row = c * chunk; row < std::min(rows, (c + 1) * chunk); ++row) {
          const T *gs = gradients.read(row), *xs = values.read(row);
          const T center = mean.defined() ? mean.data<T>()[row] : T(0), inverse = rstd.data<T>()[row];
          T* const sums = affine ? partial.data() + 2 * c * n : nullptr;
          if (!dx.defined()) {
            if (affine) accumulate(gs, xs, sums, sums + n, n, center, inverse);
            continue;
          }
          T* const to = out.target(row);
          const std::int64_t next = std::min(row + 1, rows - 1);
          row_gradient(gs, xs, scale.data(), to, sums, affine ? sums + n : nullptr, n, mean.defined(), center, inverse,
                       {gradients.ahead(next), values.ahead(next), out.ahead(next)});
          if (also.defined()) {
            const T* const more = added.read(row);
            for (std::int64_t i = 0; i < n; ++i) to[i] += more[i];
          }
          out.write(row);
          if (!into.x.defined() || !into.branch.defined()) continue;
          std::copy_n(to, n, branch.target(row));
          branch.write(row);
        }
    });
    const auto total = [&](const Tensor& result, std::int64_t offset) {
      if (!result.defined()) return;
      constexpr std::int64_t width = 256;
      minima::parallel_for(0, n, std::max(width, grain_for(0.3 * static_cast<double>(chunks))),
                           [&](std::int64_t first, std::int64_t last) {
                             for (std::int64_t at = first; at < last; at += width) {
                               const std::int64_t count = std::min(width, last - at);
                               double sums[width] = {};
                               for (std::int64_t c = 0; c < chunks; ++c) {
                                 const T* const part = partial.data() + 2 * c * n + offset + at;
                                 for (std::int64_t i = 0; i < count; ++i) sums[i] += static_cast<double>(part[i]);
                               }
                               for (std::int64_t i = 0; i < count; ++i)
                                 result.data<T>()[at + i] = static_cast<T>(sums[i]);
                             }
                           });
    };
    total(into.weight, 0);
    total(into.bias, n);
  });
}

}  // namespace minima::detail
