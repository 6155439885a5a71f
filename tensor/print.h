#pragma once

#include <minima/tensor/tensor.h>

#include <iosfwd>
#include <string>

namespace minima {

struct PrintOptions {
  int precision = 4;              ///< digits after the decimal point, from 0 to 50
  std::int64_t threshold = 1000;  ///< tensors with more elements are summarised
  std::int64_t edge_items = 3;    ///< elements shown at each end of a summarised dimension, at least 1
};

/// The elements in brackets, aligned in columns as in NumPy, followed by dtype and shape:
///   [[ 1.0000, -2.5000],
///    [ 0.0000,  3.0000]]  float32 [2, 2]
MINIMA_API std::string to_string(const Tensor& tensor, PrintOptions options = {});
MINIMA_API std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

/// `[2, 3]`, `float32`, `cuda:1`
MINIMA_API std::ostream& operator<<(std::ostream& out, const Shape& shape);
MINIMA_API std::ostream& operator<<(std::ostream& out, DType dtype);
MINIMA_API std::ostream& operator<<(std::ostream& out, Device device);

}  // namespace minima
