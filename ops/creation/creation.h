#pragma once

#include <minima/tensor/tensor.h>

// New tensors, filled by a formula. Those with random elements are in random.h.

namespace minima {

/// All elements 0.
MINIMA_API Tensor zeros(const Shape& shape, TensorOptions options = {});
/// All elements 1.
MINIMA_API Tensor ones(const Shape& shape, TensorOptions options = {});
/// All elements `value`.
MINIMA_API Tensor full(const Shape& shape, Scalar value, TensorOptions options = {});
/// With x's shape and memory order, and its dtype and device unless the options override them.
MINIMA_API Tensor empty_like(const Tensor& x, InferredOptions options = {});
/// empty_like(x), filled with 0.
MINIMA_API Tensor zeros_like(const Tensor& x, InferredOptions options = {});
/// empty_like(x), filled with 1.
MINIMA_API Tensor ones_like(const Tensor& x, InferredOptions options = {});
/// empty_like(x), filled with `value`.
MINIMA_API Tensor full_like(const Tensor& x, Scalar value, InferredOptions options = {});

/// start, start + step, … before stop: ⌈(stop - start) / step⌉ values. The default dtype is int64, or float32 if one of
/// the three has a fraction. For an integer dtype each value is truncated, while PyTorch truncates start and step.
/// Throws ValueError if step is 0 or has the wrong sign.
MINIMA_API Tensor arange(Scalar start, Scalar stop, Scalar step = 1, InferredOptions options = {});
/// start, start + 1, … before stop, for options without a step: arange(2, 5, {.dtype = float32}).
inline Tensor arange(Scalar start, Scalar stop, InferredOptions options) { return arange(start, stop, 1, options); }
inline Tensor arange(Scalar stop, InferredOptions options = {}) { return arange(0, stop, 1, options); }
/// `count` evenly spaced values from start to stop, both included.
MINIMA_API Tensor linspace(double start, double stop, std::int64_t count, TensorOptions options = {});
/// base^start, …, base^stop: `count` values, evenly spaced in the exponent.
MINIMA_API Tensor logspace(double start, double stop, std::int64_t count, double base = 10, TensorOptions options = {});
MINIMA_API Tensor logspace(double start, double stop, std::int64_t count, TensorOptions options);

/// Ones on the diagonal of an [n, m] matrix (m = n if -1).
MINIMA_API Tensor eye(std::int64_t n, std::int64_t m = -1, TensorOptions options = {});
inline Tensor eye(std::int64_t n, TensorOptions options) { return eye(n, -1, options); }
/// The row and column indices of the lower triangle (column - row ≤ offset) of a rows × columns matrix, in row-major
/// order: [2, number], int64 unless the options name another dtype.
MINIMA_API Tensor tril_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0,
                               InferredOptions options = {});
/// The same for the upper triangle, column - row ≥ offset.
MINIMA_API Tensor triu_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0,
                               InferredOptions options = {});

}  // namespace minima
