#pragma once

#include <minima/tensor/tensor.h>

#include <vector>

// Views: the same memory under another layout. No kernel runs; gradients flow back through views, and an in-place
// change of a view changes its base. Negative dimensions count from the end.

namespace minima {

/// The same elements in row-major order under another shape; one size may be -1. A view if strides allow, else a copy.
MINIMA_API Tensor reshape(const Tensor& x, const Shape& shape);
/// Like reshape, but throws ShapeError where only a copy could do it.
MINIMA_API Tensor view(const Tensor& x, const Shape& shape);
/// Reorders dimensions: dimension i of the result is dimension order[i] of x.
MINIMA_API Tensor permute(const Tensor& x, const Shape& order);
/// Swaps two dimensions.
MINIMA_API Tensor transpose(const Tensor& x, std::int64_t a, std::int64_t b);
/// x [M, N] → [N, M]. A vector is returned unchanged.
MINIMA_API Tensor t(const Tensor& x);
/// Elements start, start + step, … before stop along one dimension; negative bounds count from the end, both are
/// clamped.
MINIMA_API Tensor slice(const Tensor& x, std::int64_t dim, std::int64_t start, std::int64_t stop = INT64_MAX,
                        std::int64_t step = 1);
/// `length` elements along one dimension from `start` on; throws IndexError if they are out of range.
MINIMA_API Tensor narrow(const Tensor& x, std::int64_t dim, std::int64_t start, std::int64_t length);
/// One index of a dimension, which is removed.
MINIMA_API Tensor select(const Tensor& x, std::int64_t dim, std::int64_t index);
/// Expands dimensions of size 1, and new leading ones, to `shape` with stride 0; -1 keeps a size.
MINIMA_API Tensor expand(const Tensor& x, const Shape& shape);
/// A new dimension of size 1 at position dim.
MINIMA_API Tensor unsqueeze(const Tensor& x, std::int64_t dim);
/// Removes a dimension if its size is 1; without `dim`, all dimensions of size 1.
MINIMA_API Tensor squeeze(const Tensor& x, std::int64_t dim);
MINIMA_API Tensor squeeze(const Tensor& x);
/// Merges dimensions first to last into one: [N, C, H, W] → [N, C·H·W] for flatten(x, 1).
MINIMA_API Tensor flatten(const Tensor& x, std::int64_t first = 0, std::int64_t last = -1);
/// Pieces of `size` along a dimension, as views; the last one may be shorter. The gradient of x is written once, piece
/// by piece.
MINIMA_API std::vector<Tensor> split(const Tensor& x, std::int64_t size, std::int64_t dim = 0);
/// Pieces of the given sizes, which must add up to the dimension's: split_with_sizes(packed, {d, d, d}, -1).
MINIMA_API std::vector<Tensor> split_with_sizes(const Tensor& x, const std::vector<std::int64_t>& sizes,
                                                std::int64_t dim = 0);
/// At most `count` pieces of equal size; the last one may be shorter.
MINIMA_API std::vector<Tensor> chunk(const Tensor& x, std::int64_t count, std::int64_t dim = 0);
/// The range behind begin and end: `for (Tensor row : x) row *= 2` visits x[0], x[1], … as views.
class FirstDimension {
 public:
  FirstDimension(Tensor x, std::int64_t index) : x_(std::move(x)), index_(index) {}
  Tensor operator*() const { return x_[index_]; }
  FirstDimension& operator++() { return ++index_, *this; }
  friend bool operator==(const FirstDimension& a, const FirstDimension& b) { return a.index_ == b.index_; }

 private:
  Tensor x_;
  std::int64_t index_;
};
/// x[0], for range-based for loops over the first dimension.
inline FirstDimension begin(const Tensor& x) { return {x, 0}; }
/// Throws IndexError for rank 0.
inline FirstDimension end(const Tensor& x) { return {x, x.size(0)}; }

/// Any layout within x's storage; the offset counts from the start of the storage. The gradient sums overlapping
/// elements.
MINIMA_API Tensor as_strided(const Tensor& x, const Layout& layout);

}  // namespace minima
