#pragma once

#include <minima/tensor/layout/layout.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

// A tensor without strides: a list of its elements' offsets in row-major order. Views are computed element by element
// from their definition; layouts are compared with them.

namespace minima {

/// Calls f(index) for every index of the shape in row-major order.
template <class F>
void for_each_index(const Shape& shape, F&& f) {
  std::vector<std::int64_t> index(static_cast<std::size_t>(shape.rank()));
  for (std::int64_t i = 0, count = numel(shape); i < count; ++i) {
    f(index);
    for (int d = shape.rank() - 1; d >= 0 && ++index[static_cast<std::size_t>(d)] == shape[d]; --d)
      index[static_cast<std::size_t>(d)] = 0;
  }
}

inline std::vector<std::int64_t> offsets(const Layout& layout) {
  std::vector<std::int64_t> result;
  for_each_index(layout.shape, [&](const std::vector<std::int64_t>& index) {
    std::int64_t offset = layout.offset;
    for (int d = 0; d < layout.rank(); ++d) offset += index[static_cast<std::size_t>(d)] * layout.strides[d];
    result.push_back(offset);
  });
  return result;
}

struct Model {
  Shape shape;
  std::vector<std::int64_t> elements;

  static Model of(const Layout& layout) { return {layout.shape, offsets(layout)}; }

  std::int64_t at(const std::vector<std::int64_t>& index) const {
    std::int64_t position = 0;
    for (int d = 0; d < shape.rank(); ++d) position = position * shape[d] + index[static_cast<std::size_t>(d)];
    return elements[static_cast<std::size_t>(position)];
  }

  /// The view of `target` shape whose element at an index is this model's at source(index).
  template <class F>
  Model view(const Shape& target, F&& source) const {
    Model result{target, {}};
    for_each_index(target,
                   [&](const std::vector<std::int64_t>& index) { result.elements.push_back(at(source(index))); });
    return result;
  }

  bool has_duplicates() const {
    return std::set<std::int64_t>(elements.begin(), elements.end()).size() != elements.size();
  }

  /// No gaps between the smallest and the largest offset, and no duplicates.
  bool is_dense() const {
    if (elements.empty()) return true;
    const auto [least, most] = std::minmax_element(elements.begin(), elements.end());
    return !has_duplicates() && *most - *least + 1 == static_cast<std::int64_t>(elements.size());
  }

  bool is_contiguous() const {
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (elements[i] != elements[0] + static_cast<std::int64_t>(i)) return false;
    return true;
  }

  /// Whether strides exist that give these elements the target shape: the strides found by single steps must fit all
  /// elements.
  bool can_have(const Shape& target) const {
    const Model reshaped{target, elements};
    if (elements.empty()) return true;
    Layout guess{target, Strides::filled(target.rank(), 0), elements[0]};
    std::vector<std::int64_t> index(static_cast<std::size_t>(target.rank()), 0);
    for (int d = 0; d < target.rank(); ++d) {
      if (target[d] == 1) continue;
      index[static_cast<std::size_t>(d)] = 1;
      guess.strides[d] = reshaped.at(index) - elements[0];
      index[static_cast<std::size_t>(d)] = 0;
    }
    return offsets(guess) == elements;
  }
};

}  // namespace minima
