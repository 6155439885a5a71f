#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

// New tensors. Random ones depend only on the generator's seed and position, not on threads or device; the default
// generator is used unless one is given (`manual_seed`).

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

/// start, start + step, … before stop: ⌈(stop - start) / step⌉ values. The default dtype is int64, or float32 if one of
/// the three has a fraction. For an integer dtype each value is truncated, while PyTorch truncates start and step.
/// Throws ValueError if step is 0 or has the wrong sign.
MINIMA_API Tensor arange(Scalar start, Scalar stop, Scalar step = 1, InferredOptions options = {});
inline Tensor arange(Scalar stop, InferredOptions options = {}) { return arange(0, stop, 1, options); }
/// `count` evenly spaced values from start to stop, both included.
MINIMA_API Tensor linspace(double start, double stop, std::int64_t count, TensorOptions options = {});
/// Ones on the diagonal of an [n, m] matrix (m = n if -1).
MINIMA_API Tensor eye(std::int64_t n, std::int64_t m = -1, TensorOptions options = {});

/// Uniform on [0, 1).
MINIMA_API Tensor rand(const Shape& shape, TensorOptions options = {}, RandomGenerator* generator = nullptr);
/// Normal with mean 0 and standard deviation 1.
MINIMA_API Tensor randn(const Shape& shape, TensorOptions options = {}, RandomGenerator* generator = nullptr);
/// Integers on [low, high), in int64 unless the options name another dtype.
MINIMA_API Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape, InferredOptions options = {},
                          RandomGenerator* generator = nullptr);
/// A permutation of 0 … n-1 in int64.
MINIMA_API Tensor randperm(std::int64_t n, RandomGenerator* generator = nullptr);

// In place, for any strides; element i in row-major order. Recorded as an overwrite.
/// Uniform on [low, high).
MINIMA_API void uniform_(const Tensor& x, double low = 0, double high = 1, RandomGenerator* generator = nullptr);
/// Normal with this mean and standard deviation.
MINIMA_API void normal_(const Tensor& x, double mean = 0, double std = 1, RandomGenerator* generator = nullptr);
/// 1 with this probability, else 0.
MINIMA_API void bernoulli_(const Tensor& x, double probability = 0.5, RandomGenerator* generator = nullptr);

}  // namespace minima
