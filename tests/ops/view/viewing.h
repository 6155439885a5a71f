#pragma once

#include "tests/ops/checks/op_cases.h"

#include <functional>
#include <vector>

// Tables of operators that return views.

namespace minima::test {

/// A table for one view, given its shape and the source of each of its elements.
inline OpCases viewing(OpCases table, const Shape& input, const std::function<Tensor(const Tensor&)>& op,
                       const Shape& shape, const std::function<Shape(const Shape&)>& from) {
  return table.dtypes(all_dtypes())
      .without("large", "no element moves")
      .without("empty", "rows below, where the view has a meaning for it")
      .on([op](In in) { return op(in[0]); },
          [shape, from](const std::vector<Doubles>& in) { return gather(in[0], shape, from); })
      .inputs(normal(input));
}

/// The elements in row-major order under another shape.
inline Reference reshaped(const Shape& shape) {
  return [shape](const std::vector<Doubles>& in) { return std::vector{Doubles(shape, in[0].values)}; };
}

}  // namespace minima::test
