#include <minima/ops/interpolate/interpolate_kernel.h>

#include <minima/ops/images.h>
#include <minima/ops/line_loop.h>
#include <minima/tensor/dispatch.h>
#include <minima/tensor/ivdep.h>
#include <minima/tensor/parallel.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace minima::detail {

namespace {

/// Taps with weights in the type that is computed in.
template <class T>
struct Table {
  const Taps& taps;
  std::vector<T> weights;
  bool plain;  ///< one element per result, as it is
  bool full;   ///< no place stands for nothing

  explicit Table(const Taps& given)
      : taps(given), weights(given.weights.begin(), given.weights.end()),
        plain(given.per_result == 1 && std::all_of(weights.begin(), weights.end(), [](T w) { return w == 1; })),
        full(std::all_of(given.places.begin(), given.places.end(), [&](std::int32_t p) { return p < given.size; })) {}
};

/// to[i] = Σ weight · row[i] over up to two rows at once; `add`: += instead.
template <class X, class T>
void add_rows(const X* a, T wa, const X* b, T wb, std::int64_t count, bool add, T* to) {
  if (b && !add) {
    MINIMA_IVDEP
    for (std::int64_t i = 0; i < count; ++i) to[i] = wa * static_cast<T>(a[i]) + wb * static_cast<T>(b[i]);
  } else if (b) {
    MINIMA_IVDEP
    for (std::int64_t i = 0; i < count; ++i) to[i] += wa * static_cast<T>(a[i]) + wb * static_cast<T>(b[i]);
  } else if (!add) {
    MINIMA_IVDEP
    for (std::int64_t i = 0; i < count; ++i) to[i] = wa * static_cast<T>(a[i]);
  } else {
    MINIMA_IVDEP
    for (std::int64_t i = 0; i < count; ++i) to[i] += wa * static_cast<T>(a[i]);
  }
}

/// to[0…count) = what a result is made of, for elements that are rows of `count`.
template <class X, class T>
void combine(const X* rows, const Table<T>& table, std::int64_t result, std::int64_t count, T* to) {
  const Taps& taps = table.taps;
  const X* waiting = nullptr;
  T weight = 0;
  bool add = false;
  for (int k = 0; k < taps.per_result; ++k) {
    const auto at = static_cast<std::size_t>(k * taps.results + result);
    if (taps.places[at] >= taps.size) break;
    const X* const row = rows + taps.places[at] * count;
    if (!waiting) {
      waiting = row, weight = table.weights[at];
      continue;
    }
    add_rows(waiting, weight, row, table.weights[at], count, add, to);
    waiting = nullptr, add = true;
  }
  if (waiting) add_rows<X, T>(waiting, weight, nullptr, 0, count, add, to);
  else if (!add) std::fill_n(to, count, T(0));
}

/// One row, element by element; row[taps.size] is 0.
template <int per_result, class T>
void gather_row(const T* row, const Table<T>& table, T* to) {
  const std::int64_t results = table.taps.results;
  const std::int32_t* const places = table.taps.places.data();
  const T* const weights = table.weights.data();
  MINIMA_IVDEP
  for (std::int64_t i = 0; i < results; ++i) {
    T sum = weights[i] * row[places[i]];
    for (int k = 1; k < per_result; ++k) sum += weights[k * results + i] * row[places[k * results + i]];
    to[i] = sum;
  }
}

template <class T>
void gather_row(const T* row, const Table<T>& table, T* to) {
  const Taps& taps = table.taps;
  if (table.plain) {
    const std::int32_t* const places = taps.places.data();
    MINIMA_IVDEP
    for (std::int64_t i = 0; i < taps.results; ++i) to[i] = row[places[i]];
    return;
  }
  switch (taps.per_result) {
    case 1: return gather_row<1>(row, table, to);
    case 2: return gather_row<2>(row, table, to);
    case 3: return gather_row<3>(row, table, to);
    case 4: return gather_row<4>(row, table, to);
  }
  for (std::int64_t i = 0; i < taps.results; ++i) {
    T sum = 0;
    for (int k = 0; k < taps.per_result; ++k) {
      const auto at = static_cast<std::size_t>(k * taps.results + i);
      sum += table.weights[at] * row[taps.places[at]];
    }
    to[i] = sum;
  }
}

/// Rows of the result, each made in two steps: the rows of x it lies between become one, and that is resized.
template <class X, class T>
class Rows {
 public:
  Rows(const Table<T>& rows, const Table<T>& columns, std::int64_t unit)
      : rows_(rows), columns_(columns), unit_(unit), same_width_(columns.taps.is_identity()),
        row_(static_cast<std::size_t>((columns.taps.size + 1) * unit)),
        result_(std::is_same_v<X, T> ? 0 : static_cast<std::size_t>(columns.taps.results * unit)) {}

  void make(const X* image, std::int64_t result, X* y) {
    const std::int64_t width = columns_.taps.size * unit_, results = columns_.taps.results * unit_;
    if constexpr (std::is_same_v<X, T>) {
      if (same_width_) return combine(image, rows_, result, width, y);
      resize(between(image, result), y);
    } else {
      resize(between(image, result), result_.data());
      for (std::int64_t i = 0; i < results; ++i) y[i] = static_cast<X>(result_[static_cast<std::size_t>(i)]);
    }
  }

 private:
  /// A row of x's width, followed by zeros for the place that stands for nothing.
  const T* between(const X* image, std::int64_t result) {
    const std::int64_t width = columns_.taps.size * unit_;
    if constexpr (std::is_same_v<X, T>)
      if (rows_.plain && rows_.full && columns_.full)
        return image + rows_.taps.places[static_cast<std::size_t>(result)] * width;
    combine(image, rows_, result, width, row_.data());
    return row_.data();
  }
  void resize(const T* row, T* to) const {
    if (unit_ == 1) return gather_row(row, columns_, to);
    for (std::int64_t i = 0; i < columns_.taps.results; ++i) combine(row, columns_, i, unit_, to + i * unit_);
  }

  const Table<T>& rows_;
  const Table<T>& columns_;
  std::int64_t unit_;
  bool same_width_;
  std::vector<T> row_, result_;
};

}  // namespace

void interpolate_kernel_cpu(const Tensor& x, const Taps& rows, const Taps& columns, const Tensor& y) {
  if (y.numel() == 0) return;
  const bool last = wants_channels_last(x.layout()) || wants_channels_last(y.layout());
  const std::int64_t unit = last ? x.shape()[1] : 1, width = columns.results * unit;
  const double cost = static_cast<double>((rows.per_result * columns.size + columns.per_result * columns.results) * unit);
  dispatch<floating>(x.dtype(), "interpolate", [&]<class X> {
    using T = std::conditional_t<std::is_same_v<X, double>, double, float>;
    const Table<T> row_table(rows), column_table(columns);
    minima::parallel_for(0, y.numel() / width, grain_for(0.3 * cost), [&](std::int64_t first, std::int64_t last_row) {
      Rows<X, T> make_row(row_table, column_table, unit);
      for (std::int64_t n = first; n < last_row; ++n) {
        const std::int64_t image = n / rows.results, row = n % rows.results;
        X* const to = y.data<X>() + n * width;
        if (n > first && rows.repeats(row)) std::memcpy(to, to - width, static_cast<std::size_t>(width) * sizeof(X));
        else make_row.make(x.data<X>() + image * rows.size * columns.size * unit, row, to);
      }
    });
  });
}

}  // namespace minima::detail
