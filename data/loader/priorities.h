#pragma once

#include <minima/tensor/base/counted.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace minima::data {

/// How urgently samples are wanted, such as their last loss for the replay of hard examples. The loader sorts every
/// epoch's order by it, highest first, and keeps the order otherwise. Changes made during an epoch count from the next
/// one on, so the order does not depend on how far workers are ahead; both are part of the loader's state.
///
///     Priorities hard(dataset.size());
///     DataLoader loader(dataset, {.shuffle = true, .priorities = hard});
///     for (auto& [x, y, index] : loader) hard.set(index, loss);
///
/// A handle: copies are one table. Safe to use from several threads.
class MINIMA_API Priorities {
 public:
  Priorities() = default;
  explicit Priorities(std::int64_t count, double initial = 0);

  explicit operator bool() const { return static_cast<bool>(table_); }
  std::int64_t size() const;
  /// Throws IndexError, or ValueError for NaN.
  void set(std::int64_t index, double priority) const;
  /// For a batch at once: `indices` int64 [B], `values` [B] of a floating dtype.
  void set(const Tensor& indices, const Tensor& values) const;
  double get(std::int64_t index) const;

  /// All of them, float64 [N].
  Tensor values() const;
  void set_values(const Tensor& values) const;

 private:
  struct Table;
  Table& table() const;
  Ref<Counted> table_;
};

namespace detail {
/// Sorts indices by falling priority, equal ones as they were.
MINIMA_API void sort_by_priority(std::vector<std::int64_t>& order, const Tensor& values);
}  // namespace detail

}  // namespace minima::data
