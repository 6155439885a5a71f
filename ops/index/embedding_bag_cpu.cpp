#include <minima/ops/index/kernels.h>

#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/index/add_rows.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/tensor/zero_memory.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace minima::detail {

namespace {

constexpr std::int64_t width = 512;   // columns summed together, on the stack
constexpr std::int64_t together = 4;  // rows, while the next as many are fetched

/// The number of indices of a bag that count, at least 1.
std::int64_t kept(const std::int64_t* first, const std::int64_t* last, std::int64_t padding) {
  return std::max<std::int64_t>(1, last - first - std::count(first, last, padding));
}

template <class T>
void sum_bag(const T* weight, std::int64_t columns, const std::int64_t* first, const std::int64_t* last,
             std::int64_t padding, bool mean, T* y) {
  using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const Sum scale = mean ? Sum(1) / static_cast<Sum>(kept(first, last, padding)) : Sum(1);
  Sum sums[width];
  for (std::int64_t column = 0; column < columns; column += width) {
    const std::int64_t count = std::min(width, columns - column);
    std::fill_n(sums, count, Sum(0));
    const std::int64_t* row = first;
    for (; last - row >= together && std::find(row, row + together, padding) == row + together; row += together) {
      const T* from[together];
      for (std::int64_t r = 0; r < together; ++r) {
        from[r] = weight + row[r] * columns + column;
        if (last - row > together + r) fetch(weight + row[together + r] * columns + column, count);
      }
      for (std::int64_t c = 0; c < count; ++c)
        for (std::int64_t r = 0; r < together; ++r) sums[c] += static_cast<Sum>(from[r][c]);
    }
    for (; row < last; ++row) {
      if (*row == padding) continue;
      const T* const from = weight + *row * columns + column;
      for (std::int64_t c = 0; c < count; ++c) sums[c] += static_cast<Sum>(from[c]);
    }
    for (std::int64_t c = 0; c < count; ++c) y[column + c] = static_cast<T>(sums[c] * scale);
  }
}

}  // namespace

void embedding_bag_kernel_cpu(const Tensor& weight, const Tensor& index, const Tensor& starts, std::int64_t padding,
                              bool mean, Tensor& y) {
  const std::int64_t bags = y.shape()[0], columns = y.shape()[1];
  if (y.numel() == 0) return;
  const auto* const rows = index.data<std::int64_t>();
  const auto* const start = starts.data<std::int64_t>();
  const double cost = 10 + 0.3 * static_cast<double>((index.numel() / bags + 1) * columns);
  dispatch<floating>(y.dtype(), "embedding_bag", [&]<class T> {
    minima::parallel_for(0, bags, grain_for(cost), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t b = first; b < last; ++b)
        sum_bag(weight.data<T>(), columns, rows + start[b], rows + start[b + 1], padding, mean,
                y.data<T>() + b * columns);
    });
  });
}

void embedding_bag_gradient_cpu(const Tensor& g, const Tensor& index, const Tensor& starts, std::int64_t padding,
                                bool mean, Tensor& y) {
  if (is_half(y.dtype())) {  // accumulate in float32, round once
    const Tensor wide_g = empty(g.shape());
    copy_kernel_cpu(g, wide_g);
    Tensor wide = empty(y.shape());
    embedding_bag_gradient_cpu(wide_g, index, starts, padding, mean, wide);
    return copy_kernel_cpu(wide, y);
  }
  zero_memory(y);
  const std::int64_t bags = g.shape()[0], columns = y.shape()[1];
  const auto* const rows = index.data<std::int64_t>();
  const auto* const start = starts.data<std::int64_t>();
  std::vector<std::int64_t> bag_of(static_cast<std::size_t>(index.numel()));
  for (std::int64_t b = 0; b < bags; ++b) std::fill(bag_of.begin() + start[b], bag_of.begin() + start[b + 1], b);
  dispatch<full_floating>(y.dtype(), "embedding_bag", [&]<class T> {
    const T* const from = g.data<T>();
    std::vector<T> scales(static_cast<std::size_t>(bags), T(1));
    for (std::int64_t b = 0; mean && b < bags; ++b)
      scales[static_cast<std::size_t>(b)] /= static_cast<T>(kept(rows + start[b], rows + start[b + 1], padding));
    add_rows(rows, index.numel(), padding, columns, y.data<T>(), [&](std::int64_t i) {
      const std::int64_t b = bag_of[static_cast<std::size_t>(i)];
      return ScaledRow<T>{from + b * columns, scales[static_cast<std::size_t>(b)]};
    });
  });
}

}  // namespace minima::detail
