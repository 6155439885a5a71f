#pragma once

#include <minima/ops/index/index.h>

namespace minima::detail {

/// A decomposed index: the view of x by everything but tensors, with the dimensions that tensors index in front, and
/// those tensors combined into one int64 vector of rows of that view.
struct Places {
  Tensor view;        ///< [indexed…, rest…]
  int indexed = 0;    ///< the number of indexed dimensions; 0: the view is the result
  Shape index_shape;  ///< of the indices, broadcast with each other
  Tensor rows;        ///< [Π index_shape]: row-major positions in the indexed dimensions; out of range: not a valid row
  std::int64_t row_count = 0;  ///< Π of the indexed dimensions
  int result_dim = 0;          ///< the position of index_shape among the rest

  Shape rest() const {
    Shape shape;
    for (int d = indexed; d < view.rank(); ++d) shape.push_back(view.shape()[d]);
    return shape;
  }
  /// The permutation from [index_shape…, rest…] to the result.
  Shape order() const;
  /// The reverse.
  Shape inverse_order() const;
};

/// Throws IndexError prefixed with `op`.
Places places_of(const char* op, const Tensor& x, const std::vector<Index>& at);

}  // namespace minima::detail
