#include <minima/onnx/export/emitter.h>

#include <algorithm>
#include <functional>
#include <optional>

// A view is known by its layouts before and after: the first form that explains them in all runs is written.

namespace minima::onnx::detail {

namespace {

/// Equal for all elements: strides of dimensions of size 1 have no meaning, nor have those of empty views.
bool same_elements(const Layout& a, const Layout& b) {
  if (a.shape != b.shape) return false;
  if (a.numel() == 0) return true;
  if (a.offset != b.offset) return false;
  for (int d = 0; d < a.rank(); ++d)
    if (a.shape[d] > 1 && a.strides[d] != b.strides[d]) return false;
  return true;
}

bool is_reshape(const Layout& x, const Layout& y) {
  Layout result;
  return x.numel() == y.numel() && x.try_reshape(y.shape, result) && same_elements(result, y);
}

/// y has x's elements in their order, for any strides: sizes of 1 come or go.
bool is_squeeze(const Layout& x, const Layout& y) {
  const auto long_ones = [](const Layout& layout) {
    Layout result;
    result.offset = layout.offset;
    for (int d = 0; d < layout.rank(); ++d)
      if (layout.shape[d] != 1) result.shape.push_back(layout.shape[d]), result.strides.push_back(layout.strides[d]);
    return result;
  };
  return same_elements(long_ones(x), long_ones(y));
}

std::optional<Shape> permutation(const Layout& x, const Layout& y) {
  if (x.rank() != y.rank()) return std::nullopt;
  Shape order;
  for (int d = 0; d < y.rank(); ++d) {
    int found = -1;
    for (int s = 0; s < x.rank() && found < 0; ++s)
      if (x.shape[s] == y.shape[d] && (x.shape[s] == 1 || x.strides[s] == y.strides[d]) &&
          std::find(order.begin(), order.end(), s) == order.end())
        found = s;
    if (found < 0) return std::nullopt;
    order.push_back(found);
  }
  return same_elements(x.permuted(order), y) ? std::optional(order) : std::nullopt;
}

bool is_expansion(const Layout& x, const Layout& y) {
  const int added = y.rank() - x.rank();
  if (added < 0) return false;
  for (int d = 0; d < x.rank(); ++d)
    if (x.shape[d] != y.shape[d + added] && x.shape[d] != 1) return false;
  return same_elements(x.expanded(y.shape), y);
}

struct Part {
  int dim;
  std::int64_t start, stop, step;
};

std::optional<Part> part(const Layout& x, const Layout& y, int dim) {
  if (x.rank() != y.rank() || x.shape[dim] == 0) return std::nullopt;
  const std::int64_t stride = x.strides[dim], size = y.shape[dim], moved = y.offset - x.offset;
  std::int64_t start = 0, step = 1;
  if (size == 0) return x.sliced(dim, 0, 0, 1).shape == y.shape ? std::optional(Part{dim, 0, 0, 1}) : std::nullopt;
  if (stride != 0) {
    if (moved % stride != 0) return std::nullopt;
    start = moved / stride;
    if (size > 1 && y.strides[dim] % stride != 0) return std::nullopt;
    if (size > 1) step = y.strides[dim] / stride;
  }
  const std::int64_t stop = start + (size - 1) * step + 1;
  if (start < 0 || step < 1 || stop > x.shape[dim]) return std::nullopt;
  return same_elements(x.sliced(dim, start, stop, step), y) ? std::optional(Part{dim, start, stop, step})
                                                            : std::nullopt;
}

std::optional<std::int64_t> element(const Layout& x, const Layout& y, int dim) {
  if (x.rank() != y.rank() + 1 || x.shape[dim] == 0) return std::nullopt;
  const std::int64_t stride = x.strides[dim], moved = y.offset - x.offset;
  if (stride != 0 && moved % stride != 0) return std::nullopt;
  const std::int64_t index = stride == 0 ? 0 : moved / stride;
  if (index < 0 || index >= x.shape[dim]) return std::nullopt;
  return same_elements(x.selected(dim, index), y) ? std::optional(index) : std::nullopt;
}

}  // namespace

void translate_view(Emitter& e) {
  std::vector<Layout> before, after;
  for (std::size_t r = 0; r < e.runs(); ++r) {
    before.push_back(e.layouts(r).first);
    after.push_back(e.layouts(r).second);
  }
  const auto in_all = [&](auto&& holds) {
    for (std::size_t r = 0; r < e.runs(); ++r)
      if (!holds(before[r], after[r])) return false;
    return true;
  };
  if (e.input(0).dtype != e.output().dtype) e.refuse("ONNX has no complex numbers");
  if (in_all([](const Layout& x, const Layout& y) { return same_elements(x, y); })) return e.bind(e.in(0));
  if (in_all(is_reshape) || in_all(is_squeeze)) return e.bind(e.reshape(e.in(0), e.input_shapes(0), e.output_shapes()));
  // Sizes that are equal in one run may leave the order open; the others decide.
  for (std::size_t r = 0; r < e.runs(); ++r)
    if (const std::optional<Shape> order = permutation(before[r], after[r]))
      if (in_all([&](const Layout& x, const Layout& y) {
            return x.rank() == order->rank() && same_elements(x.permuted(*order), y);
          }))
        return e.bind(e.node("Transpose", {e.in(0)}, {integers("perm", *order)}));
  if (in_all(is_expansion)) return e.bind(e.node("Expand", {e.in(0), e.shape(e.output_shapes())}));
  const int rank = before[0].rank();
  for (int d = 0; d < rank; ++d) {
    std::vector<std::int64_t> starts, stops, steps;
    if (!in_all([&](const Layout& x, const Layout& y) {
          const std::optional<Part> found = part(x, y, d);
          if (!found) return false;
          starts.push_back(found->start), stops.push_back(found->stop), steps.push_back(found->step);
          return true;
        }))
      continue;
    return e.bind(e.node("Slice", {e.in(0), e.size(starts), e.size(stops), e.constant(Shape{d}), e.size(steps)}));
  }
  for (int d = 0; d < rank; ++d) {
    std::vector<std::int64_t> places;
    if (!in_all([&](const Layout& x, const Layout& y) {
          const std::optional<std::int64_t> index = element(x, y, d);
          if (index) places.push_back(*index);
          return index.has_value();
        }))
      continue;
    const std::string index = Emitter::agree(places) ? e.constant(static_cast<double>(places[0]), DType::int64)
                                                     : e.node("Squeeze", {e.size(places)});
    return e.bind(e.node("Gather", {e.in(0), index}, {integer("axis", d)}));
  }
  e.refuse("a view that is no reshape, transposition, expansion, slice or element");
}

}  // namespace minima::onnx::detail
