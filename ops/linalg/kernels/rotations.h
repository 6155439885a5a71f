#pragma once

#include <minima/ops/linalg/kernels/dense.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

// QR steps, and the rotations that turn a basis into eigenvectors or singular vectors. Internal.

namespace minima::detail {

/// A rotation of the rows `row` and row + 1 by [c, -s; s, c].
template <class T>
struct RowRotation {
  std::int64_t row;
  T c, s;
};

/// Rotations of neighbours, sweep by sweep: each sweep rotates rows i and i + 1, then i + 1 and i + 2, and so on. Four
/// sweeps of about the same rows run at once, each a row behind the one before, so that a row is read and written once
/// for all of them.
template <class T>
class Sweeps {
 public:
  explicit Sweeps(const std::vector<RowRotation<T>>& rotations) {
    steps_.reserve(rotations.size() / 2);
    const RowRotation<T>* const end = rotations.data() + rotations.size();
    for (const RowRotation<T>* next = rotations.data(); next < end;) next = bundle(next, end);
  }

  /// Rotates the columns [first, last) and those behind them up to the end of a cache line, of rows in a Scratch.
  void apply(Dense<T> rows, std::int64_t first, std::int64_t last) const {
    for (const Bundle& bundle : bundles_) {
      std::int64_t j = first;
      for (; j + lanes < last; j += 2 * lanes) run<2>(bundle, rows.data + j, rows.ld);
      if (j < last) run<1>(bundle, rows.data + j, rows.ld);
    }
  }

 private:
  static constexpr std::int64_t together = 4;
  typedef T Vector __attribute__((vector_size(64)));
  static constexpr std::int64_t lanes = sizeof(Vector) / sizeof(T);

  /// One rotation of each sweep; by zero where a sweep is shorter than the others.
  struct Step {
    T c[together] = {1, 1, 1, 1}, s[together] = {};
  };
  struct Bundle {
    std::int64_t first, last;  ///< rows
    std::size_t steps;         ///< where they start
  };

  static const RowRotation<T>* end_of_sweep(const RowRotation<T>* begin, const RowRotation<T>* end) {
    const RowRotation<T>* next = begin + 1;
    while (next < end && next->row == next[-1].row + 1) ++next;
    return next;
  }

  /// Adds a bundle of the next sweeps and returns the first rotation that remains.
  const RowRotation<T>* bundle(const RowRotation<T>* next, const RowRotation<T>* end) {
    const RowRotation<T>* starts[together + 1] = {next};
    std::int64_t count = 0, used = 0, first = next->row, last = first;
    for (; count < together && next < end; ++count) {
      next = end_of_sweep(next, end);
      const RowRotation<T>* const start = starts[count];
      const std::int64_t top = std::min(first, start->row), bottom = std::max(last, next[-1].row + 1);
      used += next - start;
      if (2 * used < (count + 1) * (bottom - top)) break;
      first = top, last = bottom;
      starts[count + 1] = next;
    }
    bundles_.push_back({first, last, steps_.size()});
    steps_.resize(steps_.size() + static_cast<std::size_t>(last - first + together - 1));
    Step* const steps = steps_.data() + bundles_.back().steps;
    for (std::int64_t i = 0; i < count; ++i)
      for (const RowRotation<T>* rotation = starts[i]; rotation < starts[i + 1]; ++rotation) {
        Step& step = steps[rotation->row - first + i];
        step.c[i] = rotation->c, step.s[i] = rotation->s;
      }
    return starts[count];
  }

  /// Rotates `vectors` · `lanes` columns, which start at x.
  template <int vectors>
  void run(const Bundle& bundle, T* x, std::int64_t ld) const {
    constexpr std::int64_t ahead = 8;
    const auto load = [](Vector* row, const T* from) {
      for (int v = 0; v < vectors; ++v) std::memcpy(&row[v], from + v * lanes, sizeof(Vector));
    };
    const auto store = [](T* to, const Vector* row) {
      for (int v = 0; v < vectors; ++v) std::memcpy(to + v * lanes, &row[v], sizeof(Vector));
    };
    T* const top = x + bundle.first * ld;
    const std::int64_t count = bundle.last - bundle.first;
    const Step* step = steps_.data() + bundle.steps;
    Vector rows[together + 1][vectors] = {};  // zero outside the sweeps
    load(rows[together - 1], top);
    for (std::int64_t k = 0; k < count + together - 1; ++k, ++step) {
      if (k < count) load(rows[together], top + (k + 1) * ld);
      __builtin_prefetch(top + std::min(k + ahead, count) * ld);
      for (int i = 0; i < together; ++i)
        for (int v = 0; v < vectors; ++v) {
          Vector &upper = rows[together - 1 - i][v], &lower = rows[together - i][v];
          const Vector turned = step->c[i] * upper - step->s[i] * lower;
          lower = step->s[i] * upper + step->c[i] * lower;
          upper = turned;
        }
      if (k + 1 >= together) store(top + (k + 1 - together) * ld, rows[0]);
      for (int i = 0; i < together; ++i)
        for (int v = 0; v < vectors; ++v) rows[i][v] = rows[i + 1][v];
    }
    store(top + count * ld, rows[0]);
  }

  std::vector<Step> steps_;
  std::vector<Bundle> bundles_;
};

/// Applies rotations in order to the rows of a Scratch.
template <class T>
void rotate_rows(const std::vector<RowRotation<T>>& rotations, Dense<T> rows) {
  constexpr std::int64_t strip = 128;  // stays in the cache
  const Sweeps<T> sweeps(rotations);
  const double nanoseconds = 0.03 * static_cast<double>(rotations.size()) * static_cast<double>(strip);
  parallel_for(0, (rows.columns + strip - 1) / strip, grain_for(nanoseconds + 1),
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i)
                   sweeps.apply(rows, i * strip, std::min((i + 1) * strip, rows.columns));
               });
}

/// Collects rotations of some vectors: many at once take less time.
template <class T>
class DeferredRotations {
 public:
  /// Without rows, rotations are dropped.
  explicit DeferredRotations(Dense<T> vectors) : vectors_(vectors) {}
  void add(std::int64_t row, T c, T s) {
    if (vectors_.rows > 0) deferred_.push_back({row, c, s});
  }
  void apply() {
    if (!deferred_.empty()) rotate_rows(deferred_, vectors_);
    deferred_.clear();
  }
  /// Applies them if there are many.
  void apply_if_many() {
    constexpr std::size_t many = 1 << 16;
    if (deferred_.size() >= many) apply();
  }

 private:
  Dense<T> vectors_;
  std::vector<RowRotation<T>> deferred_;
};

/// Takes steps on a matrix with a diagonal of n elements and `off_diagonal` next to it until the latter is zero:
/// step(first, last) on the last rows that no zero separates. Elements for which is_negligible(i) become zero first.
/// Returns false if 30 steps for each row do not suffice.
template <class T, class Negligible, class Step>
bool take_qr_steps(std::vector<T>& off_diagonal, const Negligible& is_negligible, const Step& step) {
  T* const e = off_diagonal.data();
  const auto n = static_cast<std::int64_t>(off_diagonal.size()) + 1;
  std::int64_t last = n - 1;
  for (std::int64_t steps = 0; last > 0; ++steps) {
    if (steps == 30 * n) return false;
    for (std::int64_t i = 0; i < last; ++i)
      if (is_negligible(i)) e[i] = 0;
    while (last > 0 && e[last - 1] == 0) --last;
    if (last == 0) break;
    std::int64_t first = last - 1;
    while (first > 0 && e[first - 1] != 0) --first;
    step(first, last);
  }
  return true;
}

/// The indices of values in the order of `precedes`.
template <class T, class Precedes>
std::vector<std::int64_t> order_of(const std::vector<T>& values, const Precedes& precedes) {
  std::vector<std::int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return precedes(values[static_cast<std::size_t>(a)], values[static_cast<std::size_t>(b)]);
  });
  return order;
}

/// Writes the rows order[0], order[1], … of `from` to the rows of `to`, or to its columns if `transposed`.
template <class T>
void write_in_order(Dense<T> from, const std::vector<std::int64_t>& order, Dense<T> to, bool transposed) {
  constexpr std::int64_t strip = 16;
  const auto size = static_cast<std::int64_t>(order.size());
  for (std::int64_t first = 0; first < size; first += strip) {
    const std::int64_t count = std::min(strip, size - first);
    const T* rows[strip] = {};
    for (std::int64_t i = 0; i < count; ++i) rows[i] = from.row(order[static_cast<std::size_t>(first + i)]);
    for (std::int64_t i = 0; !transposed && i < count; ++i) std::copy_n(rows[i], from.columns, to.row(first + i));
    for (std::int64_t j = 0; transposed && j < from.columns; ++j)
      for (std::int64_t i = 0; i < count; ++i) to(j, first + i) = rows[i][j];
  }
}

}  // namespace minima::detail
