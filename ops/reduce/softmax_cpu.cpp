#include <minima/ops/reduce/kernels.h>

#include <minima/ops/loops/lines/lanes.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/math/math.h>
#include <minima/ops/loops/math/math_cpu.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

// Softmax subtracts a line's largest element before it takes exponentials: in float32 exp overflows from 89 on, and the
// quotient does not change. A line is read twice, for the maximum and for the exponentials, and scaled while it is
// still in the cache; its sum is of double precision. The gradient is y·(g - Σ y·g), of logarithms g - exp(y)·Σ g.

namespace minima::detail {

namespace {

// Each computation exists twice: for one contiguous line, and for interleaved lines, each with its own accumulator.

/// Requests the elements from i on of the next line, which usually follows this one in memory, into the L2 cache.
template <class T>
auto next_of(const T* x, std::int64_t n) {
  return [=](std::int64_t i) {
    constexpr auto line = static_cast<std::int64_t>(64 / sizeof(T));
    for (std::int64_t k = 0; k < lane_count; k += line) __builtin_prefetch(x + n + i + k, 0, 2);
  };
}

template <class T>
void softmax_line(SoftmaxKind kind, const T* __restrict x, T* __restrict y, std::int64_t n) {
  const T largest = lane_max(x, n);
  if (kind == SoftmaxKind::probability) {
    const double sum =
        lane_sum<T>(n, [=](std::int64_t i) { return y[i] = math::exp_nonpositive(x[i] - largest); }, next_of(x, n));
    const T scale = static_cast<T>(1 / sum);
    for (std::int64_t i = 0; i < n; ++i) y[i] *= scale;
  } else {
    const double sum =
        lane_sum<T>(n, [=](std::int64_t i) { return math::exp_nonpositive(x[i] - largest); }, next_of(x, n));
    const T log_sum = static_cast<T>(math::log(sum));
    for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] - largest - log_sum;
  }
}

template <class T>
void softmax_columns(SoftmaxKind kind, const T* __restrict x, T* __restrict y, const Strip& s) {
  T largest[max_strip], sum[max_strip];
  for (std::int64_t c = 0; c < s.width; ++c) largest[c] = -math::cpu::Format<T>::infinity, sum[c] = 0;
  for (std::int64_t i = 0; i < s.length; ++i) {
    const T* row = x + i * s.stride;
    for (std::int64_t c = 0; c < s.width; ++c) largest[c] = row[c] > largest[c] ? row[c] : largest[c];
  }
  for (std::int64_t i = 0; i < s.length; ++i) {
    const T* from = x + i * s.stride;
    T* to = y + i * s.stride;
    for (std::int64_t c = 0; c < s.width; ++c) {
      to[c] = math::exp_nonpositive(from[c] - largest[c]);
      sum[c] += to[c];
    }
  }
  for (std::int64_t c = 0; c < s.width; ++c) sum[c] = kind == SoftmaxKind::probability ? 1 / sum[c] : math::log(sum[c]);
  for (std::int64_t i = 0; i < s.length; ++i) {
    const T* from = x + i * s.stride;
    T* to = y + i * s.stride;
    if (kind == SoftmaxKind::probability)
      for (std::int64_t c = 0; c < s.width; ++c) to[c] *= sum[c];
    else
      for (std::int64_t c = 0; c < s.width; ++c) to[c] = from[c] - largest[c] - sum[c];
  }
}

template <class T>
void gradient_line(SoftmaxKind kind, const T* __restrict g, const T* __restrict y, T* __restrict dx, std::int64_t n) {
  const auto ahead = [=](std::int64_t i) {
    __builtin_prefetch(g + n + i, 0, 2);
    __builtin_prefetch(y + n + i, 0, 2);
  };
  if (kind == SoftmaxKind::probability) {
    const T dot = static_cast<T>(lane_sum<T>(n, [=](std::int64_t i) { return g[i] * y[i]; }));
    for_cache_lines<T>(n, ahead, [=](std::int64_t i) { dx[i] = y[i] * (g[i] - dot); });
  } else {
    const T sum = static_cast<T>(lane_sum<T>(n, [=](std::int64_t i) { return g[i]; }));
    for_cache_lines<T>(n, ahead, [=](std::int64_t i) { dx[i] = g[i] - math::exp_nonpositive(y[i]) * sum; });
  }
}

template <class T>
void gradient_columns(SoftmaxKind kind, const T* __restrict g, const T* __restrict y, T* __restrict dx,
                      const Strip& s) {
  T sum[max_strip];
  for (std::int64_t c = 0; c < s.width; ++c) sum[c] = 0;
  for (std::int64_t i = 0; i < s.length; ++i) {
    const std::int64_t at = i * s.stride;
    if (kind == SoftmaxKind::probability)
      for (std::int64_t c = 0; c < s.width; ++c) sum[c] += g[at + c] * y[at + c];
    else
      for (std::int64_t c = 0; c < s.width; ++c) sum[c] += g[at + c];
  }
  for (std::int64_t i = 0; i < s.length; ++i) {
    const std::int64_t at = i * s.stride;
    if (kind == SoftmaxKind::probability)
      for (std::int64_t c = 0; c < s.width; ++c) dx[at + c] = y[at + c] * (g[at + c] - sum[c]);
    else
      for (std::int64_t c = 0; c < s.width; ++c) dx[at + c] = g[at + c] - math::exp_nonpositive(y[at + c]) * sum[c];
  }
}

constexpr double cost = 1;

}  // namespace

void softmax_kernel_cpu(SoftmaxKind kind, const Tensor& x, int dim, Tensor& y) {
  const Tensor from = arranged(x, y.layout());
  dispatch<full_floating>(compute_dtype(x.dtype()), "softmax", [&]<class T> {
    for_lines<T>(lines_of(y.layout(), dim), y.dtype(), {y.raw_data()}, {from.raw_data()}, cost,
                 [&](T* const* data, const Strip& s) {
                   if (s.stride == 1) softmax_line(kind, data[1], data[0], s.length);
                   else softmax_columns(kind, data[1], data[0], s);
                 });
  });
}

void softmax_gradient_kernel_cpu(SoftmaxKind kind, const Tensor& g, const Tensor& y, int dim, Tensor& dx) {
  const Tensor gradient = arranged(g, dx.layout()), output = arranged(y, dx.layout());
  dispatch<full_floating>(compute_dtype(y.dtype()), "softmax", [&]<class T> {
    for_lines<T>(lines_of(dx.layout(), dim), dx.dtype(), {dx.raw_data()}, {gradient.raw_data(), output.raw_data()},
                 cost, [&](T* const* data, const Strip& s) {
                   if (s.stride == 1) gradient_line(kind, data[1], data[2], data[0], s.length);
                   else gradient_columns(kind, data[1], data[2], data[0], s);
                 });
  });
}

}  // namespace minima::detail
