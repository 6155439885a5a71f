#include <minima/ops/image/kernels.h>

#include <minima/ops/convolution/images.h>
#include <minima/ops/image/taps.h>
#include <minima/ops/loops/elements.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace minima::detail {

namespace {

bool is_full(const Taps& taps) {
  return std::all_of(taps.places.begin(), taps.places.end(), [&](std::int32_t place) { return place < taps.size; });
}
/// Whether every result is a copy of one element.
bool is_choice(const Taps& taps) {
  const auto is_one = [](double weight) { return weight == 1; };
  return taps.per_result == 1 && is_full(taps) && std::all_of(taps.weights.begin(), taps.weights.end(), is_one);
}

/// Taps with weights in the compute dtype.
template <class T>
struct Table {
  const Taps& taps;
  std::vector<T> weights;
  bool full, choice;

  explicit Table(const Taps& given)
      : taps(given),
        weights(given.weights.begin(), given.weights.end()),
        full(is_full(given)),
        choice(is_choice(given)) {}
};

/// to[i] = wa · a[i] + wb · b[i], without b if it is null; `add`: += instead.
template <class T>
void add_rows(const T* a, T wa, const T* b, T wb, std::int64_t count, bool add, T* to) {
  if (b && !add) {
    MINIMA_IVDEP
    for (std::int64_t i = 0; i < count; ++i) to[i] = wa * a[i] + wb * b[i];
  } else if (b) {
    MINIMA_IVDEP
    for (std::int64_t i = 0; i < count; ++i) to[i] += wa * a[i] + wb * b[i];
  } else if (!add) {
    MINIMA_IVDEP
    for (std::int64_t i = 0; i < count; ++i) to[i] = wa * a[i];
  } else {
    MINIMA_IVDEP
    for (std::int64_t i = 0; i < count; ++i) to[i] += wa * a[i];
  }
}

/// to[0…count) = one result, where elements are rows of `count` values: row(place) must stay valid until the second
/// call after it.
template <class T, class Row>
void combine(const Row& row, const Table<T>& table, std::int64_t result, std::int64_t count, T* to) {
  const Taps& taps = table.taps;
  const T* waiting = nullptr;
  T weight = 0;
  bool add = false;
  for (int k = 0; k < taps.per_result; ++k) {
    const auto at = static_cast<std::size_t>(k * taps.results + result);
    if (taps.places[at] >= taps.size) break;
    const T* const next = row(taps.places[at]);
    if (!waiting) {
      waiting = next, weight = table.weights[at];
      continue;
    }
    add_rows(waiting, weight, next, table.weights[at], count, add, to);
    waiting = nullptr, add = true;
  }
  if (waiting) add_rows<T>(waiting, weight, nullptr, 0, count, add, to);
  else if (!add) std::fill_n(to, count, T(0));
}

/// Computes one row, element by element; row[taps.size] must be 0.
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

/// Rows of half types converted to float. Caches the last few, since adjacent results use the same rows.
class WideRows {
 public:
  WideRows(DType half, std::int64_t width)
      : convert_(pointwise::converter(DType::float32, half)),
        width_(width),
        memory_(static_cast<std::size_t>(kept * width)) {}

  const float* operator()(const void* row) {
    for (int i = 0; i < kept; ++i)
      if (rows_[i] == row) return at(last_ = i);
    last_ = (last_ + 1) % kept;  // never the previous one, which may still be in use
    rows_[last_] = row;
    convert_(at(last_), row, width_);
    return at(last_);
  }

 private:
  static constexpr int kept = 4;
  float* at(int i) { return memory_.data() + i * width_; }

  pointwise::Convert convert_;
  std::int64_t width_;
  std::vector<float> memory_;
  const void* rows_[kept] = {};
  int last_ = 0;
};

/// Computes a row of the result in two steps: combines the rows of x it depends on into one, then resizes that.
template <class X, class T>
class Rows {
 public:
  Rows(const Table<T>& rows, const Table<T>& columns, std::int64_t unit, DType dtype)
      : rows_(rows),
        columns_(columns),
        unit_(unit),
        width_(columns.taps.size * unit),
        same_width_(columns.taps.is_identity()),
        row_(static_cast<std::size_t>(width_ + unit)),
        result_(half ? static_cast<std::size_t>(columns.taps.results * unit) : 0),
        wide_(dtype, half ? width_ : 0),
        narrow_(pointwise::converter(dtype, DType::float32)) {}

  void make(const X* image, std::int64_t result, X* y) {
    if constexpr (half) {
      resize(between([&](std::int64_t place) { return wide_(image + place * width_); }, result), result_.data());
      narrow_(y, result_.data(), columns_.taps.results * unit_);
    } else {
      const auto row = [&](std::int64_t place) { return image + place * width_; };
      if (same_width_) combine(row, rows_, result, width_, y);
      else resize(between(row, result), y);
    }
  }

 private:
  static constexpr bool half = !std::is_same_v<X, T>;

  /// A row of x's width, followed by zeros for the empty place if any tap uses it.
  template <class Row>
  const T* between(const Row& row, std::int64_t result) {
    if (rows_.choice && columns_.full) return row(rows_.taps.places[static_cast<std::size_t>(result)]);
    combine(row, rows_, result, width_, row_.data());
    return row_.data();
  }
  void resize(const T* row, T* to) const {
    if (unit_ == 1) return gather_row(row, columns_, to);
    const auto pixel = [&](std::int64_t place) { return row + place * unit_; };
    for (std::int64_t i = 0; i < columns_.taps.results; ++i) combine(pixel, columns_, i, unit_, to + i * unit_);
  }

  const Table<T>& rows_;
  const Table<T>& columns_;
  std::int64_t unit_, width_;
  bool same_width_;
  std::vector<T> row_, result_;
  WideRows wide_;
  pointwise::Convert narrow_;
};

/// Copies selected elements of one of x's rows.
template <class X>
void choose(const X* row, const Taps& columns, std::int64_t unit, X* to) {
  const std::int32_t* const places = columns.places.data();
  if (unit == 1) {
    for (std::int64_t i = 0; i < columns.results; ++i) to[i] = row[places[i]];
    return;
  }
  for (std::int64_t i = 0; i < columns.results; ++i)
    std::memcpy(to + i * unit, row + places[i] * unit, static_cast<std::size_t>(unit) * sizeof(X));
}

}  // namespace

void interpolate_kernel_cpu(const Tensor& x, const Taps& rows, const Taps& columns, const Tensor& y) {
  if (y.numel() == 0) return;
  const bool last = wants_channels_last(x.layout()) || wants_channels_last(y.layout());
  const std::int64_t unit = last ? x.shape()[1] : 1, line = columns.size * unit, width = columns.results * unit;
  const double cost =
      0.3 * static_cast<double>((rows.per_result * columns.size + columns.per_result * columns.results) * unit);
  const bool chosen = is_choice(rows) && is_choice(columns);
  dispatch<floating>(x.dtype(), "interpolate", [&]<class X> {
    using T = std::conditional_t<std::is_same_v<X, double>, double, float>;
    const Table<T> row_table(rows), column_table(columns);
    minima::parallel_for(0, y.numel() / width, grain_for(cost), [&](std::int64_t first, std::int64_t end) {
      Rows<X, T> made(row_table, column_table, unit, x.dtype());
      for (std::int64_t n = first; n < end; ++n) {
        const std::int64_t row = n % rows.results;
        const X* const image = x.data<X>() + n / rows.results * rows.size * line;
        X* const to = y.data<X>() + n * width;
        if (n > first && rows.repeats(row)) std::memcpy(to, to - width, static_cast<std::size_t>(width) * sizeof(X));
        else if (chosen) choose(image + rows.places[static_cast<std::size_t>(row)] * line, columns, unit, to);
        else made.make(image, row, to);
      }
    });
  });
}

}  // namespace minima::detail
