#include <minima/data/loader/priorities.h>

#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/checked.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace minima::data {

struct Priorities::Table : Counted {
  mutable std::mutex mutex;
  std::vector<double> values;

  void set(std::int64_t index, double priority) {
    if (index < 0 || index >= static_cast<std::int64_t>(values.size()))
      throw IndexError(str("Priorities: index ", index, " of ", values.size(), " samples"));
    if (std::isnan(priority)) throw ValueError(str("Priorities: the priority of sample ", index, " is NaN"));
    values[static_cast<std::size_t>(index)] = priority;
  }
};

Priorities::Table& Priorities::table() const { return static_cast<Table&>(*table_); }

Priorities::Priorities(std::int64_t count, double initial) {
  if (count < 0) throw ValueError(str("Priorities: count must not be negative, got ", count));
  minima::detail::expect_room(count, sizeof(double), "Priorities");
  table_ = Ref<Table>(new Table);
  table().values.assign(static_cast<std::size_t>(count), initial);
}

std::int64_t Priorities::size() const { return table_ ? static_cast<std::int64_t>(table().values.size()) : 0; }

void Priorities::set(std::int64_t index, double priority) const {
  const std::lock_guard lock(table().mutex);
  table().set(index, priority);
}

void Priorities::set(const Tensor& indices, const Tensor& values) const {
  const std::vector<std::int64_t> at = indices.to_vector<std::int64_t>();
  const std::vector<double> what = values.to_vector<double>();
  if (at.size() != what.size())
    throw ShapeError(str("Priorities: indices and values must have the same size, got ", indices, " and ", values));
  const std::lock_guard lock(table().mutex);
  for (std::size_t i = 0; i < at.size(); ++i) table().set(at[i], what[i]);
}

double Priorities::get(std::int64_t index) const {
  const std::lock_guard lock(table().mutex);
  if (index < 0 || index >= size()) throw IndexError(str("Priorities: index ", index, " of ", size(), " samples"));
  return table().values[static_cast<std::size_t>(index)];
}

Tensor Priorities::values() const {
  const std::lock_guard lock(table().mutex);
  return from_vector(table().values, {size()});
}

void Priorities::set_values(const Tensor& values) const {
  if (values.numel() != size()) throw ShapeError(str("Priorities: ", values, " for ", size(), " samples"));
  const std::vector<double> all = values.to_vector<double>();
  const std::lock_guard lock(table().mutex);
  for (std::size_t i = 0; i < all.size(); ++i) table().set(static_cast<std::int64_t>(i), all[i]);
}

void detail::sort_by_priority(std::vector<std::int64_t>& order, const Tensor& values) {
  const double* priority = values.data<double>();
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return priority[a] > priority[b]; });
}

}  // namespace minima::data
