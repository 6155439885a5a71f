#include <minima/ops/scan/scan_kernel.h>

#include <minima/ops/line_loop.h>
#include <minima/tensor/dispatch.h>
#include <minima/tensor/parallel.h>

#include <algorithm>
#include <array>

namespace minima::detail {

namespace {

/// Floating numbers are added up in double, so that long lines keep their digits.
template <class X> using Sum = std::conditional_t<std::is_same_v<X, std::int64_t>, std::int64_t, double>;

template <class X> inline constexpr bool is_half_type = std::is_same_v<X, Float16> || std::is_same_v<X, BFloat16>;

constexpr std::int64_t width = 32;  // neighbouring lines that go side by side

template <class X, class F>
void run(const X* x, const Lines& lines, bool reverse, X* y, Sum<X> identity, const F& f) {
  const std::int64_t strips = (lines.inner + width - 1) / width;
  minima::parallel_for(0, lines.outer * strips, grain_for(2 * static_cast<double>(lines.length * std::min(width, lines.inner))),
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
          if constexpr (is_half_type<X>) sum = f(sum, static_cast<double>(static_cast<float>(x[row + c])));
          else sum = f(sum, static_cast<Sum<X>>(x[row + c]));
          if constexpr (is_half_type<X>) y[row + c] = X(static_cast<float>(sum));
          else y[row + c] = static_cast<X>(sum);
        }
      }
    }
  });
}

}  // namespace

void scan_kernel_cpu(ScanKind kind, const Tensor& x, int dim, bool reverse, Tensor& y) {
  if (y.numel() == 0) return;
  const Lines lines = lines_of(y.layout(), dim);
  dispatch<all_types>(y.dtype(), "scan", [&]<class X> {
    if constexpr (FloatingTypes::has(dtype_of<X>) || std::is_same_v<X, std::int64_t>) {
      if (kind == ScanKind::sum) run(x.data<X>(), lines, reverse, y.data<X>(), Sum<X>(0), [](auto a, auto b) { return a + b; });
      else run(x.data<X>(), lines, reverse, y.data<X>(), Sum<X>(1), [](auto a, auto b) { return a * b; });
    }
  });
}

}  // namespace minima::detail
