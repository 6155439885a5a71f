#pragma once

#include "tests/ops/checks/composed.h"

#include <minima/ops/reduce/extreme.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

// Tables and references of operators that choose elements by their rank.

namespace minima::test {

inline std::vector<Tensor> both(const ValuesAndIndices& result) { return {result.values, result.indices}; }

/// The positions of a line in the order of its elements, NaN last.
inline std::vector<std::size_t> sorted(const Line& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::isnan(x[b]) ? !std::isnan(x[a]) : x[a] < x[b]; });
  return order;
}

/// The element of rank place(x) of each line and its position.
template <class Place>
Reference of_rank(int dim, bool keep, const Place& place) {
  return over_lines(dim, keep, [=](const std::vector<Line>& x, std::vector<Line>& y) {
    const std::size_t at = sorted(x[0])[place(x[0])];
    y = {{x[0][at]}, {static_cast<double>(at)}};
  });
}

inline OpCases choosing(OpCases cases) {
  return composed(std::move(cases)).dtypes(all_dtypes()).result_dtype(1, always<int64>);
}

}  // namespace minima::test
