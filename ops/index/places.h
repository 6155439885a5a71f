#pragma once

#include <minima/ops/index/index.h>

namespace minima::detail {

/// An index taken apart: x's view by everything but tensors, with the dimensions that tensors index in front, and those
/// tensors as one int64 vector of rows of that view.
struct Places {
  Tensor view;        ///< [indexed…, rest…]
  int indexed = 0;    ///< how many dimensions are; 0: the view is all
  Shape index_shape;  ///< of the indices, broadcast with each other
  Tensor rows;        ///< [Π index_shape]: row-major places in the indexed dimensions; what does not exist is no row
  std::int64_t row_count = 0;  ///< Π of the indexed dimensions
  int result_dim = 0;          ///< where index_shape goes among the rest

  Shape rest() const {
    Shape shape;
    for (int d = indexed; d < view.rank(); ++d) shape.push_back(view.shape()[d]);
    return shape;
  }
  /// The order of dimensions that brings [index_shape…, rest…] to the result's.
  Shape order() const;
  /// The reverse.
  Shape inverse_order() const;
};

/// Throws IndexError in the name of `op`.
Places places_of(const char* op, const Tensor& x, const std::vector<Index>& at);

}  // namespace minima::detail
