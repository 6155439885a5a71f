#pragma once

#include <minima/tensor/tensor.h>

#include <vector>

// The same elements in other places, in new memory. All dtypes; differentiable to any order. Dimensions may count from
// the end. What needs no copy is a view: view/view.h.

namespace minima {

/// y[…, i, …] = x[…, index[i], …] along `dim` for an int64 vector. Throws IndexError for an index out of range.
MINIMA_API Tensor index_select(const Tensor& x, std::int64_t dim, const Tensor& index);
/// `value` where the mask (bool, broadcasts with x) is true, x elsewhere. The value is converted to x's dtype; throws
/// ValueError for one that it cannot hold.
MINIMA_API Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value);
/// Back to front along each of the dimensions.
MINIMA_API Tensor flip(const Tensor& x, const Shape& dims);
/// Elements move by `shift` places along a dimension; those that leave at the end come back at the start.
MINIMA_API Tensor roll(const Tensor& x, std::int64_t shift, std::int64_t dim);
/// The whole tensor counts[d] times along each dimension d; more counts than dimensions add leading ones.
/// Throws ShapeError for fewer counts than dimensions, ValueError for a negative one.
MINIMA_API Tensor repeat(const Tensor& x, const Shape& counts);
/// Each element `count` times in a row along a dimension.
MINIMA_API Tensor repeat_interleave(const Tensor& x, std::int64_t count, std::int64_t dim);
/// The lower triangle of the last two dimensions, 0 elsewhere: elements with column - row ≤ diagonal.
MINIMA_API Tensor tril(const Tensor& x, std::int64_t diagonal = 0);
/// The upper triangle: column - row ≥ diagonal.
MINIMA_API Tensor triu(const Tensor& x, std::int64_t diagonal = 0);
/// 1 at the class, 0 elsewhere: int64 classes [d1, …] → int64 [d1, …, count]. A class out of
/// range throws IndexError; on CUDA it gives a row of zeros.
MINIMA_API Tensor one_hot(const Tensor& classes, std::int64_t count);
/// The slices along a dimension, which disappears.
MINIMA_API std::vector<Tensor> unbind(const Tensor& x, std::int64_t dim = 0);

enum class PadMode : std::uint8_t {
  constant,   ///< with a value
  reflect,    ///< mirrored, without repeating the edge: c b | a b c | b a
  replicate,  ///< the edge again and again: a a | a b c | c c
  circular,   ///< from the other side: b c | a b c | a b
};
/// More elements at the ends of the last dimensions, as torch.nn.functional.pad: {left, right} of the last one, then of
/// the one before, and so on. A negative number takes elements away (mode constant only). Throws ShapeError where
/// reflect or circular would need more elements than there are, ValueError for a value that x's dtype cannot hold.
///   pad(images, {1, 1, 2, 2})   // one column on each side, two rows above and below
MINIMA_API Tensor pad(const Tensor& x, const Shape& amounts, PadMode mode = PadMode::constant, Scalar value = 0);

}  // namespace minima
