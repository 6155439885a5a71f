#include <minima/ops/reduce/kernels.h>

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/half.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace minima::detail {

namespace {

/// The dtype to compare in.
template <class X>
using Compared = std::conditional_t<std::is_same_v<X, Float16> || std::is_same_v<X, BFloat16>, float, X>;

/// Whether x takes the place of the extreme so far: a NaN, or an element that is as extreme.
template <bool maximum, class C> bool takes_place(C x, C best) { return (maximum ? x >= best : x <= best) | (x != x); }

/// Adjacent lines, or lines a whole length apart, together: each step waits for the one before it.
template <bool maximum, std::int64_t lines, class X>
void scan(const X* __restrict x, std::int64_t count, std::int64_t apart, std::int64_t length, std::int64_t step,
          X* __restrict values, std::int64_t* __restrict indices) {
  Compared<X> best[lines];
  std::int64_t place[lines] = {};
  for (std::int64_t c = 0; c < count; ++c) best[c] = static_cast<Compared<X>>(x[c * apart]);
  for (std::int64_t i = 0; i < length; ++i)
    for (std::int64_t c = 0; c < count; ++c) {
      const std::int64_t at = i * step + c * apart;
      const auto element = static_cast<Compared<X>>(x[at]);
      const bool is_new = takes_place<maximum>(element, best[c]);
      best[c] = is_new ? element : best[c];
      place[c] = is_new ? i : place[c];
      values[at] = static_cast<X>(best[c]);
      indices[at] = place[c];
    }
}

template <bool maximum, class X> void run(const X* x, const Lines& lines, X* values, std::int64_t* indices) {
  const bool in_rows = lines.inner == 1;
  const std::int64_t rows = in_rows ? 1 : lines.outer, columns = in_rows ? lines.outer : lines.inner;
  constexpr std::int64_t width = 32, together = 4;
  const std::int64_t strip = in_rows ? together : width, strips = (columns + strip - 1) / strip;
  minima::parallel_for(
      0, rows * strips, grain_for(2 * static_cast<double>(lines.length * strip)),
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t s = first; s < last; ++s) {
          const std::int64_t column = s % strips * strip, count = std::min(strip, columns - column);
          const std::int64_t start = in_rows ? column * lines.length : s / strips * lines.length * columns + column;
          if (!in_rows)
            scan<maximum, width>(x + start, count, 1, lines.length, columns, values + start, indices + start);
          else if (count == together)
            scan<maximum, together>(x + start, together, lines.length, lines.length, 1, values + start,
                                    indices + start);
          else
            for (std::int64_t c = 0; c < count; ++c) {
              const std::int64_t line = start + c * lines.length;
              scan<maximum, 1>(x + line, 1, 1, lines.length, 1, values + line, indices + line);
            }
        }
      });
}

}  // namespace

void cumulative_extreme_cpu(ScanKind kind, const Tensor& x, int dim, Tensor& values, Tensor& indices) {
  if (x.numel() == 0) return;
  const Lines lines = lines_of(x.layout(), dim);
  dispatch<all_types>(x.dtype(), "cumulative_extreme", [&]<class X> {
    auto* const places = indices.data<std::int64_t>();
    if (kind == ScanKind::maximum) run<true>(x.data<X>(), lines, values.data<X>(), places);
    else run<false>(x.data<X>(), lines, values.data<X>(), places);
  });
}

}  // namespace minima::detail
