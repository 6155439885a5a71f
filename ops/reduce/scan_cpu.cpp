#include <minima/ops/reduce/kernels.h>

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/lines/wrapping.h>
#include <minima/ops/loops/math/math.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/half.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <type_traits>
#include <utility>

namespace minima::detail {

namespace {

/// Floating numbers accumulate in double to keep long lines accurate.
template <class X> using Sum = std::conditional_t<std::is_same_v<X, std::int64_t>, std::int64_t, double>;

template <class X> inline constexpr bool is_half_type = std::is_same_v<X, Float16> || std::is_same_v<X, BFloat16>;

template <class X> Sum<X> read(X x) {
  if constexpr (is_half_type<X>) return static_cast<double>(static_cast<float>(x));
  else return static_cast<Sum<X>>(x);
}
template <class X> X rounded(Sum<X> sum) {
  if constexpr (is_half_type<X>) return X(static_cast<float>(sum));
  else return static_cast<X>(sum);
}

/// Several contiguous lines at once. Within one line each addition waits for the previous one; other lines fill the
/// latency. More than four lines at equal distances would compete for the same cache sets.
template <std::size_t... line, class X, class F>
void scan_together(std::index_sequence<line...>, const X* x, std::int64_t length, bool reverse, X* y, Sum<X> identity,
                   const F& f) {
  Sum<X> sums[] = {(static_cast<void>(line), identity)...};
  const std::int64_t step = reverse ? -1 : 1;
  for (std::int64_t n = 0, i = reverse ? length - 1 : 0; n < length; ++n, i += step) {
    ((sums[line] = f(sums[line], read(x[static_cast<std::int64_t>(line) * length + i]))), ...);
    ((y[static_cast<std::int64_t>(line) * length + i] = rounded<X>(sums[line])), ...);
  }
}

template <class X, class F>
void run_rows(const X* x, const Lines& lines, bool reverse, X* y, Sum<X> identity, const F& f) {
  constexpr std::int64_t together = 4;
  minima::parallel_for(0, lines.outer, grain_for(static_cast<double>(lines.length)),
                       [&](std::int64_t first, std::int64_t last) {
                         for (; last - first >= together; first += together)
                           scan_together(std::make_index_sequence<together>(), x + first * lines.length, lines.length,
                                         reverse, y + first * lines.length, identity, f);
                         for (; first < last; ++first)
                           scan_together(std::make_index_sequence<1>(), x + first * lines.length, lines.length, reverse,
                                         y + first * lines.length, identity, f);
                       });
}

constexpr std::int64_t width = 32;  // adjacent lines scanned together

template <class X, class F>
void run_columns(const X* x, const Lines& lines, bool reverse, X* y, Sum<X> identity, const F& f) {
  const std::int64_t strips = (lines.inner + width - 1) / width;
  minima::parallel_for(
      0, lines.outer * strips, grain_for(2 * static_cast<double>(lines.length * std::min(width, lines.inner))),
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t s = first; s < last; ++s) {
          const std::int64_t column = s % strips * width, columns = std::min(width, lines.inner - column);
          const std::int64_t start = s / strips * lines.length * lines.inner + column;
          std::array<Sum<X>, width> sums;
          sums.fill(identity);
          for (std::int64_t i = 0; i < lines.length; ++i) {
            const std::int64_t row = start + (reverse ? lines.length - 1 - i : i) * lines.inner;
            for (std::int64_t c = 0; c < columns; ++c) {
              auto& sum = sums[static_cast<std::size_t>(c)];
              sum = f(sum, read(x[row + c]));
              y[row + c] = rounded<X>(sum);
            }
          }
        }
      });
}

/// log(eᵃ + eᵇ).
double log_add(double a, double b) {
  const double high = math::max(a, b), low = math::min(a, b);
  return high == low ? high + std::numbers::ln2 : high + std::log1p(std::exp(low - high));
}

template <class X, class F>
void run(const X* x, const Lines& lines, bool reverse, X* y, Sum<X> identity, const F& f) {
  if (lines.inner == 1) run_rows(x, lines, reverse, y, identity, f);
  else run_columns(x, lines, reverse, y, identity, f);
}

}  // namespace

void scan_kernel_cpu(ScanKind kind, const Tensor& x, int dim, bool reverse, Tensor& y) {
  if (y.numel() == 0) return;
  const Lines lines = lines_of(y.layout(), dim);
  dispatch<all_types>(y.dtype(), "scan", [&]<class X> {
    if constexpr (FloatingTypes::has(dtype_of<X>) || std::is_same_v<X, std::int64_t>) {
      const auto scan = [&](const auto& step) {
        run(x.data<X>(), lines, reverse, y.data<X>(), scan_identity<Sum<X>>(kind), step);
      };
      switch (kind) {
        case ScanKind::sum: return scan([](auto a, auto b) { return wrapping::add(a, b); });
        case ScanKind::product: return scan([](auto a, auto b) { return wrapping::multiply(a, b); });
        case ScanKind::maximum: return scan([](auto a, auto b) { return math::max(a, b); });
        case ScanKind::minimum: return scan([](auto a, auto b) { return math::min(a, b); });
        case ScanKind::log_sum:
          if constexpr (FloatingTypes::has(dtype_of<X>)) return scan([](double a, double b) { return log_add(a, b); });
      }
    }
  });
}

}  // namespace minima::detail
