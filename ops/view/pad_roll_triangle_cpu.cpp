#include <minima/ops/view/kernels.h>

#include <minima/ops/loops/elements.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace minima::detail {

namespace {

constexpr double nanoseconds_per_byte = 0.1;  // of a copy

std::int64_t grain_of_row(std::int64_t bytes) {
  return grain_for(5 + nanoseconds_per_byte * static_cast<double>(bytes));
}

/// Compiles to a move or two per piece: memcpy of long rows takes twice as long where source and destination are
/// aligned differently.
template <class Word>
void copy(const Word* from, std::int64_t count, Word* to) {
  constexpr std::int64_t piece = 64 / sizeof(Word);
  for (; count >= piece; count -= piece, from += piece, to += piece) std::memcpy(to, from, 64);
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(Word));
}

/// The row of x that row `row` of the result copies; -1 for padding.
std::int64_t source_row(const PadPlan& plan, std::int64_t row) {
  std::int64_t source = 0, step = 1;
  for (int d = plan.rank - 2; d >= 0; --d) {
    const PadDim& dim = plan.dims[d];
    const std::int64_t i = row % dim.result - dim.left;
    row /= dim.result;
    if (i < 0 || i >= dim.size) return -1;
    source += i * step;
    step *= dim.size;
  }
  return source;
}

}  // namespace

void PadPlan::add(const PadDim& dim) {
  if (rank > 0 && dim.left == 0 && dim.result == dim.size) {
    PadDim& outer = dims[rank - 1];
    outer = {outer.size * dim.size, outer.left * dim.size, outer.result * dim.size};
  } else {
    dims[rank++] = dim;
  }
}

void pad_kernel_cpu(const Tensor& x, const PadPlan& plan, std::uint64_t value, Tensor& y) {
  if (y.numel() == 0) return;
  const PadDim inner = plan.dims[plan.rank - 1];
  const std::int64_t before = std::clamp<std::int64_t>(inner.left, 0, inner.result);
  const std::int64_t skipped = std::max<std::int64_t>(-inner.left, 0);
  const std::int64_t count = std::clamp<std::int64_t>(inner.size - skipped, 0, inner.result - before);
  with_any_word(size_of(x.dtype()), [&]<class Word>(Word) {
    const auto* from = static_cast<const Word*>(x.raw_data());
    auto* to = static_cast<Word*>(y.raw_data());
    const auto fill = static_cast<Word>(value);
    const std::int64_t grain = grain_of_row(inner.result * static_cast<std::int64_t>(sizeof(Word)));
    minima::parallel_for(0, y.numel() / inner.result, grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) {
        Word* const line = to + row * inner.result;
        const std::int64_t source = source_row(plan, row), found = source < 0 ? 0 : count;
        std::fill(line, line + before, fill);
        if (found > 0) copy(from + source * inner.size + skipped, found, line + before);
        std::fill(line + before + found, line + inner.result, fill);
      }
    });
  });
}

void roll_kernel_cpu(const Tensor& x, const Lines& lines, std::int64_t by, Tensor& y) {
  if (y.numel() == 0) return;
  const std::int64_t length = lines.length * lines.inner, shift = by * lines.inner;
  const auto size = static_cast<std::int64_t>(x.itemsize());
  const auto* from = static_cast<const char*>(x.raw_data());
  auto* to = static_cast<char*>(y.raw_data());
  // Split by elements of the result, so that threads share one long line too.
  const std::int64_t grain = grain_for(nanoseconds_per_byte * static_cast<double>(size));
  minima::parallel_for(0, y.numel(), grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last;) {
      const std::int64_t line = i / length * length, at = i - line;
      const std::int64_t source = at < shift ? at + length - shift : at - shift;
      const std::int64_t count = std::min((at < shift ? shift : length) - at, last - i);
      copy(from + (line + source) * size, count * size, to + i * size);
      i += count;
    }
  });
}

void triangle_kernel_cpu(const Tensor& x, std::int64_t diagonal, bool lower, Tensor& y) {
  if (y.numel() == 0) return;
  const std::int64_t rows = y.size(-2), columns = y.size(-1);
  const auto size = static_cast<std::int64_t>(x.itemsize());
  const auto* from = static_cast<const char*>(x.raw_data());
  auto* to = static_cast<char*>(y.raw_data());
  minima::parallel_for(0, y.numel() / columns, grain_of_row(columns * size),
                       [&](std::int64_t first, std::int64_t last) {
                         for (std::int64_t row = first; row < last; ++row) {
                           // Columns [begin, end) are kept.
                           const std::int64_t edge = row % rows + diagonal;
                           const std::int64_t begin = lower ? 0 : std::clamp<std::int64_t>(edge, 0, columns);
                           const std::int64_t end = lower ? std::clamp<std::int64_t>(edge + 1, 0, columns) : columns;
                           const std::int64_t start = row * columns;
                           const auto zero = [&](std::int64_t i, std::int64_t stop) {
                             std::memset(to + (start + i) * size, 0, static_cast<std::size_t>((stop - i) * size));
                           };
                           zero(0, begin);
                           copy(from + (start + begin) * size, (end - begin) * size, to + (start + begin) * size);
                           zero(end, columns);
                         }
                       });
}

}  // namespace minima::detail
