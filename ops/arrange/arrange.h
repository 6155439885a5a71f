#pragma once

#include <minima/tensor/tensor.h>

#include <vector>

// Rearrange elements into new memory. All dtypes; differentiable to any order. Negative dimensions count from the end.
// Operations that need no copy are views: view/view.h.

namespace minima {

/// y[…, i, …] = x[…, index[i], …] along `dim` for an int64 vector. Throws IndexError for an index out of range.
MINIMA_API Tensor index_select(const Tensor& x, std::int64_t dim, const Tensor& index);
/// `value` where the mask (bool, broadcasts with x) is true, x elsewhere. The value is converted to x's dtype; throws
/// ValueError if that dtype cannot hold it.
MINIMA_API Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value);
/// Reverses the order of elements along each of the dimensions.
MINIMA_API Tensor flip(const Tensor& x, const Shape& dims);
/// Shifts elements by `shift` positions along a dimension; those pushed off the end re-enter at the start.
MINIMA_API Tensor roll(const Tensor& x, std::int64_t shift, std::int64_t dim);
/// Tiles x: counts[d] copies along each dimension d; extra counts add leading dimensions. Throws ShapeError for fewer
/// counts than dimensions, ValueError for a negative count.
MINIMA_API Tensor repeat(const Tensor& x, const Shape& counts);
/// Repeats each element `count` times in a row along a dimension.
MINIMA_API Tensor repeat_interleave(const Tensor& x, std::int64_t count, std::int64_t dim);
/// The lower triangle of the last two dimensions, 0 elsewhere: elements with column - row ≤ diagonal.
MINIMA_API Tensor tril(const Tensor& x, std::int64_t diagonal = 0);
/// The upper triangle: column - row ≥ diagonal.
MINIMA_API Tensor triu(const Tensor& x, std::int64_t diagonal = 0);
/// 1 at the class, 0 elsewhere: int64 classes [d1, …] → int64 [d1, …, count]. A class out of range throws IndexError;
/// on CUDA it gives a row of zeros.
MINIMA_API Tensor one_hot(const Tensor& classes, std::int64_t count);
/// The slices along a dimension, which is removed.
MINIMA_API std::vector<Tensor> unbind(const Tensor& x, std::int64_t dim = 0);

enum class PadMode : std::uint8_t {
  constant,   ///< a constant value
  reflect,    ///< mirrored without repeating the edge: c b | a b c | b a
  replicate,  ///< the edge repeated: a a | a b c | c c
  circular,   ///< wrapped around: b c | a b c | a b
};
/// Pads the last dimensions as torch.nn.functional.pad does: {left, right} of the last dimension, then of the one
/// before it, and so on. Negative amounts crop (mode constant only). Throws ShapeError where reflect or circular would
/// need more elements than exist, ValueError if x's dtype cannot hold the value.
///   pad(images, {1, 1, 2, 2})   // one column on each side, two rows above and below
MINIMA_API Tensor pad(const Tensor& x, const Shape& amounts, PadMode mode = PadMode::constant, Scalar value = 0);

}  // namespace minima
