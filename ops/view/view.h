#pragma once

#include <minima/tensor/tensor.h>

#include <initializer_list>
#include <span>
#include <vector>

// Views: the same memory under another layout. No kernel runs; gradients flow back through views, and an in-place
// change of a view changes its base. Negative dimensions count from the end. Views of a part of the elements are in
// slice.h, split.h and diagonal.h.

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
/// Moves dimension source[i] to position destination[i]; the others keep their order.
MINIMA_API Tensor movedim(const Tensor& x, const Shape& source, const Shape& destination);
/// Splits a dimension into `sizes`, of which one may be -1: unflatten(x [6, 4], 0, {2, 3}) is [2, 3, 4].
MINIMA_API Tensor unflatten(const Tensor& x, std::int64_t dim, const Shape& sizes);
/// Merges dimensions first to last into one: [N, C, H, W] → [N, C·H·W] for flatten(x, 1).
MINIMA_API Tensor flatten(const Tensor& x, std::int64_t first = 0, std::int64_t last = -1);
/// Removes a dimension if its size is 1; without `dim`, all dimensions of size 1.
MINIMA_API Tensor squeeze(const Tensor& x, std::int64_t dim);
MINIMA_API Tensor squeeze(const Tensor& x);
/// A new dimension of size 1 at position dim.
MINIMA_API Tensor unsqueeze(const Tensor& x, std::int64_t dim);
/// Expands dimensions of size 1, and new leading ones, to `shape` with stride 0; -1 keeps a size.
MINIMA_API Tensor expand(const Tensor& x, const Shape& shape);
/// x expanded to the shape of `other`.
inline Tensor expand_as(const Tensor& x, const Tensor& other) { return expand(x, other.shape()); }
/// x viewed in the shape of `other`.
inline Tensor view_as(const Tensor& x, const Tensor& other) { return view(x, other.shape()); }
/// All tensors expanded to their common shape.
MINIMA_API std::vector<Tensor> broadcast_tensors(std::span<const Tensor> tensors);
inline std::vector<Tensor> broadcast_tensors(std::initializer_list<Tensor> tensors) {
  return broadcast_tensors(std::span(tensors.begin(), tensors.size()));
}
/// x as it is, or with a new dimension of size 1 if it has none.
MINIMA_API Tensor atleast_1d(const Tensor& x);
/// At least two dimensions: [N] becomes [1, N].
MINIMA_API Tensor atleast_2d(const Tensor& x);
/// At least three dimensions: [N] becomes [1, N, 1] and [N, M] becomes [N, M, 1].
MINIMA_API Tensor atleast_3d(const Tensor& x);
/// Any layout within x's storage; the offset counts from the start of the storage. The gradient sums overlapping
/// elements.
MINIMA_API Tensor as_strided(const Tensor& x, const Layout& layout);

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

}  // namespace minima
