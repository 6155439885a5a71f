#pragma once

#include "tests/support/table_function.h"

#include <minima/tensor/tensor.h>

#include <functional>
#include <vector>

// Plain row-major arrays of doubles for reference computations, independent of the library's operators.

namespace minima::test {

struct Doubles {
  Shape shape;
  std::vector<double> values;

  Doubles() = default;
  /// Zeros.
  explicit Doubles(const Shape& shape) : shape(shape), values(static_cast<std::size_t>(minima::numel(shape))) {}
  Doubles(const Shape& shape, std::vector<double> values) : shape(shape), values(std::move(values)) {}

  std::int64_t numel() const { return minima::numel(shape); }
  /// The element at these coordinates, one per dimension.
  double& operator[](const Shape& index) { return values[static_cast<std::size_t>(position(index))]; }
  double operator[](const Shape& index) const { return values[static_cast<std::size_t>(position(index))]; }

 private:
  std::int64_t position(const Shape& index) const {
    std::int64_t at = 0;
    for (int d = 0; d < shape.rank(); ++d) at = at * shape[d] + index[d];
    return at;
  }
};

/// Calls f(index) for every index of a shape, in row-major order.
template <class F>
void each_index(const Shape& shape, F&& f) {
  if (numel(shape) == 0) return;
  Shape index = Shape::filled(shape.rank(), 0);
  for (;;) {
    f(static_cast<const Shape&>(index));
    int d = shape.rank() - 1;
    for (; d >= 0 && ++index[d] == shape[d]; --d) index[d] = 0;
    if (d < 0) return;
  }
}

/// The elements of a tensor of any dtype and layout.
Doubles doubles_of(const Tensor& x);
/// Repeats the values along dimensions of size 1 and new leading ones.
Doubles broadcast_to(const Doubles& x, const Shape& shape);
/// Folds the elements along `dims` (sorted, nonnegative): result = f(result, element), starting from `start`.
Doubles fold(const Doubles& x, const Shape& dims, bool keep_dim, double start, double (*f)(double, double));
/// Element `index` of the result is element from(index) of x.
Doubles gather(const Doubles& x, const Shape& shape, const std::function<Shape(const Shape&)>& from);

/// A reference implementation: maps the inputs to one array per output.
using Reference = TableFunction<std::vector<Doubles>(const std::vector<Doubles>&)>;

/// A reference that broadcasts and applies f element by element.
Reference elementwise(double (*f)(double));
Reference elementwise(double (*f)(double, double));
Reference elementwise(double (*f)(double, double, double));

}  // namespace minima::test
