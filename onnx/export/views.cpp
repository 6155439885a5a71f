#include <minima/onnx/export/emitter.h>
#include <minima/onnx/export/recording.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// A view is known by its layouts before and after: the first form that explains them in all runs is written.

namespace minima::onnx::detail {

namespace {

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

/// The dimensions of size 1 that `to` has more than `from`, or none if that is not all the difference.
Shape added_ones(const Shape& from, const Shape& to) {
  Shape axes;
  int d = 0;
  for (int k = 0; k < to.rank(); ++k) {
    if (d < from.rank() && from[d] == to[k]) ++d;
    else if (to[k] == 1) axes.push_back(k);
    else return {};
  }
  return d == from.rank() ? axes : Shape{};
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

/// The places of y's elements among x's in row-major order, for any view of few elements; nothing if x lacks some.
std::optional<Tensor> places(const Layout& x, const Layout& y) {
  constexpr std::int64_t most = std::int64_t{1} << 22;
  if (x.numel() > most || y.numel() > most) return std::nullopt;
  const auto offsets = [](const Layout& layout) {
    std::vector<std::int64_t> all{layout.offset};
    for (int d = 0; d < layout.rank(); ++d) {
      std::vector<std::int64_t> longer;
      for (const std::int64_t offset : all)
        for (std::int64_t i = 0; i < layout.shape[d]; ++i) longer.push_back(offset + i * layout.strides[d]);
      all = std::move(longer);
    }
    return all;
  };
  std::unordered_map<std::int64_t, std::int64_t> known;
  std::int64_t place = 0;
  for (const std::int64_t offset : offsets(x)) known.emplace(offset, place++);
  std::vector<std::int64_t> found;
  for (const std::int64_t offset : offsets(y)) {
    const auto at = known.find(offset);
    if (at == known.end()) return std::nullopt;
    found.push_back(at->second);
  }
  return from_vector(found, y.shape);
}

}  // namespace

Layout layout_of_parts(const Layout& layout) {
  Layout parts = layout;
  for (int d = 0; d < parts.rank(); ++d) parts.strides[d] *= 2;
  parts.shape.push_back(2);
  parts.strides.push_back(1);
  parts.offset *= 2;
  return parts;
}

void translate_view(Emitter& e) {
  std::vector<Layout> before, after;
  std::vector<Shape> from, to;
  for (std::size_t r = 0; r < e.runs(); ++r) {
    const auto [x, y] = e.layouts(r);
    before.push_back(is_complex(e.input(0).dtype) ? layout_of_parts(x) : x);
    after.push_back(is_complex(e.output().dtype) ? layout_of_parts(y) : y);
    from.push_back(before.back().shape);
    to.push_back(after.back().shape);
  }
  const auto in_all = [&](auto&& holds) {
    for (std::size_t r = 0; r < e.runs(); ++r)
      if (!holds(before[r], after[r])) return false;
    return true;
  };
  if (in_all([](const Layout& x, const Layout& y) { return same_elements(x, y); })) return e.bind(e.in(0));
  if (!is_complex(e.input(0).dtype) && e.is_uniform(e.call().inputs[0]))
    return e.bind(e.repeated(e.call().inputs[0], to));
  if (const Shape axes = added_ones(before[0].shape, after[0].shape);
      axes.rank() > 0 && in_all(is_squeeze) &&
      in_all([&](const Layout& x, const Layout& y) { return added_ones(x.shape, y.shape) == axes; }))
    return e.bind(e.node("Unsqueeze", {e.in(0), e.constant(axes)}));
  if (const Shape axes = added_ones(after[0].shape, before[0].shape);
      axes.rank() > 0 && in_all(is_squeeze) &&
      in_all([&](const Layout& x, const Layout& y) { return added_ones(y.shape, x.shape) == axes; }))
    return e.bind(e.node("Squeeze", {e.in(0), e.constant(axes)}));
  if (in_all(is_reshape) || in_all(is_squeeze)) return e.bind(e.reshape(e.in(0), from, to));
  // Sizes that are equal in one run may leave the order open; the others decide.
  for (std::size_t r = 0; r < e.runs(); ++r)
    if (const std::optional<Shape> order = permutation(before[r], after[r]))
      if (in_all([&](const Layout& x, const Layout& y) {
            return x.rank() == order->rank() && same_elements(x.permuted(*order), y);
          }))
        return e.bind(e.node("Transpose", {e.in(0)}, {integers("perm", *order)}));
  if (in_all(is_expansion)) return e.bind(e.node("Expand", {e.in(0), e.shape(to)}));
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
  const bool is_fixed = in_all([&](const Layout& x, const Layout& y) { return x == before[0] && y == after[0]; });
  if (const std::optional<Tensor> found = is_fixed ? places(before[0], after[0]) : std::nullopt)
    return e.bind(e.node("Gather", {e.node("Reshape", {e.in(0), e.constant(Shape{-1})}), e.constant(*found)},
                         {integer("axis", 0)}));
  e.refuse(is_fixed ? "a view of elements that the tensor lacks, or of too many"
                    : "a view that is no reshape, transposition, expansion, slice or element, of dynamic sizes");
}

void translate_write(Emitter& e) {
  const std::string x = e.in(0), part_name = e.in(1);
  const auto [whole, own] = e.layouts(0);
  for (int d = 0; d < whole.rank(); ++d) {  // slices and elements, which may be of dynamic sizes
    std::vector<std::int64_t> starts, stops;
    bool is_element = false;
    for (std::size_t r = 0; r < e.runs(); ++r) {
      const auto [from, to] = e.layouts(r);
      if (const std::optional<Part> found = part(from, to, d); found && found->step == 1) {
        starts.push_back(found->start), stops.push_back(found->stop);
      } else if (const std::optional<std::int64_t> index = element(from, to, d)) {
        is_element = true;
        starts.push_back(*index), stops.push_back(*index + 1);
      }
    }
    if (starts.size() < e.runs()) continue;
    std::vector<std::int64_t> ends;
    ends.reserve(e.runs());
    for (std::size_t r = 0; r < e.runs(); ++r) ends.push_back(e.layouts(r).first.shape[d]);
    const std::string axis = e.constant(Shape{d}), one = e.constant(Shape{1});
    const bool begins = starts == std::vector<std::int64_t>(starts.size(), 0), finishes = stops == ends;
    std::vector<std::string> parts;
    if (!begins) parts.push_back(e.node("Slice", {x, e.constant(Shape{0}), e.size(starts), axis, one}));
    const std::string tail = finishes ? "" : e.node("Slice", {x, e.size(stops), e.size(ends), axis, one});
    parts.push_back(is_element ? e.node("Unsqueeze", {part_name, axis}) : part_name);
    if (!finishes) parts.push_back(tail);
    return e.bind(parts.size() == 1 ? parts[0] : e.node("Concat", parts, {integer("axis", d)}));
  }
  for (std::size_t r = 1; r < e.runs(); ++r)
    if (e.layouts(r).first != whole || e.layouts(r).second != own)
      e.refuse("it changes a view of dynamic sizes in place, which is no slice");
  const std::optional<Tensor> found = places(whole, own);
  if (!found) e.refuse("it changes too many elements in place");
  const std::string flat = e.constant(Shape{-1});
  const std::string y =
      e.node("ScatterElements",
             {e.node("Reshape", {x, flat}), e.constant(reshape(*found, {-1})), e.node("Reshape", {part_name, flat})},
             {integer("axis", 0)});
  e.bind(e.node("Reshape", {y, e.constant(whole.shape)}));
}

}  // namespace minima::onnx::detail
