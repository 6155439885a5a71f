#pragma once

#include "tests/ops/checks/composed.h"

#include <minima/tensor/base/dtype.h>

#include <cstdint>
#include <utility>
#include <vector>

// Tables and references of operators that move elements.

namespace minima::test {

/// y[at] = in[0][from(at)], or `value` where from says "nowhere" (an empty shape for rank > 0).
template <class F>
Doubles arranged(const Doubles& x, const Shape& shape, const F& from, double value = 0) {
  Doubles y(shape);
  each_index(shape, [&](const Shape& at) {
    const Shape source = from(at);
    y[at] = source.rank() == x.shape.rank() ? x[source] : value;
  });
  return y;
}

/// The reference of a rearrangement: element `at` of the result is element from(at) of x.
template <class ShapeOf, class From>
auto arranged(const ShapeOf& shape_of, const From& from) {
  return [=](const std::vector<Doubles>& in) {
    const Shape shape = in[0].shape;
    return gather(in[0], shape_of(shape), [&](const Shape& at) { return from(shape, at); });
  };
}

/// The index `at` with another one along a dimension.
inline Shape with(Shape at, int dim, std::int64_t index) {
  at[dim] = index;
  return at;
}

/// All dtypes.
inline OpCases moving(OpCases cases) {
  cases.dtypes(all_dtypes());
  return cases;
}
/// An operator made of others.
inline OpCases arranging(OpCases cases) {
  cases = moving(std::move(cases));
  cases.without("hidden", "it is made of other operators");
  return cases;
}
/// An operator whose parts have tables with large and random inputs.
inline OpCases composing(OpCases cases) { return composed(std::move(cases)).dtypes(all_dtypes()); }

}  // namespace minima::test
