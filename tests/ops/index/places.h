#pragma once

#include "tests/ops/checks/composed.h"

#include <minima/ops/creation/creation.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// Cases of operators that read and write single elements.

namespace minima::test::places_of_elements {

inline OpCases placing(OpCases cases) { return composed(std::move(cases)).dtypes(all_dtypes()); }
/// An input of indices.
inline Draw places(const Shape& shape, std::vector<double> values) {
  return given(shape, std::move(values)).as(DType::int64);
}
/// A vector of indices.
inline Tensor at(std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return from_vector(values, {count});
}
/// A negative index counts from the end.
inline std::size_t wrapped(double index, std::int64_t size) {
  return static_cast<std::size_t>(index < 0 ? index + static_cast<double>(size) : index);
}

}  // namespace minima::test::places_of_elements
