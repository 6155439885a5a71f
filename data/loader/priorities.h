#pragma once

#include <minima/tensor/base/counted.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace minima::data {

/// A priority per sample, such as its last loss to replay hard examples. The loader stable-sorts each epoch's order by
/// it, highest first. Changes take effect in the next epoch, so the order does not depend on how far workers have
/// prefetched. The loader's state holds the current priorities and those of the running epoch.
///
///     Priorities hard(dataset.size());
///     DataLoader loader(dataset, {.shuffle = true, .priorities = hard});
///     for (auto& [x, y, index] : loader) hard.set(index, loss);
///
/// A handle: copies share one table. Thread-safe.
class MINIMA_API Priorities {
 public:
  Priorities() = default;
  explicit Priorities(std::int64_t count, double initial = 0);

  explicit operator bool() const { return static_cast<bool>(table_); }
  std::int64_t size() const;
  /// Throws IndexError, or ValueError for NaN.
  void set(std::int64_t index, double priority) const;
  /// Sets a whole batch: `indices` int64 [B], `values` [B] of a floating dtype.
  void set(const Tensor& indices, const Tensor& values) const;
  double get(std::int64_t index) const;

  /// All priorities, float64 [N].
  Tensor values() const;
  void set_values(const Tensor& values) const;

 private:
  struct Table;
  Table& table() const;
  Ref<Counted> table_;
};

namespace detail {
/// Stable-sorts indices by descending priority.
MINIMA_API void sort_by_priority(std::vector<std::int64_t>& order, const Tensor& values);
}  // namespace detail

}  // namespace minima::data
