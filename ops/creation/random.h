#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

// Random elements. They depend only on the generator's seed and position, not on threads or device; the default
// generator is used unless one is given (`manual_seed`).

namespace minima {

/// Uniform on [0, 1).
MINIMA_API Tensor rand(const Shape& shape, TensorOptions options = {}, RandomGenerator* generator = nullptr);
/// rand with x's shape and memory order, and its dtype and device unless the options override them.
MINIMA_API Tensor rand_like(const Tensor& x, InferredOptions options = {}, RandomGenerator* generator = nullptr);
/// Normal with mean 0 and standard deviation 1.
MINIMA_API Tensor randn(const Shape& shape, TensorOptions options = {}, RandomGenerator* generator = nullptr);
/// randn with x's shape and memory order, and its dtype and device unless the options override them.
MINIMA_API Tensor randn_like(const Tensor& x, InferredOptions options = {}, RandomGenerator* generator = nullptr);
/// Integers on [low, high), in int64 unless the options name another dtype.
MINIMA_API Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape, InferredOptions options = {},
                          RandomGenerator* generator = nullptr);
/// Integers on [0, high).
MINIMA_API Tensor randint(std::int64_t high, const Shape& shape, InferredOptions options = {},
                          RandomGenerator* generator = nullptr);
/// randint with x's shape and memory order, and its dtype and device unless the options override them.
MINIMA_API Tensor randint_like(const Tensor& x, std::int64_t low, std::int64_t high, InferredOptions options = {},
                               RandomGenerator* generator = nullptr);
MINIMA_API Tensor randint_like(const Tensor& x, std::int64_t high, InferredOptions options = {},
                               RandomGenerator* generator = nullptr);
/// A permutation of 0 … n-1 in int64.
MINIMA_API Tensor randperm(std::int64_t n, RandomGenerator* generator = nullptr);
/// The same in another dtype or on another device.
MINIMA_API Tensor randperm(std::int64_t n, InferredOptions options, RandomGenerator* generator = nullptr);

// In place, for any strides; element i in row-major order. Recorded as an overwrite.
/// Uniform on [low, high).
MINIMA_API const Tensor& uniform_(const Tensor& x, double low = 0, double high = 1,
                                  RandomGenerator* generator = nullptr);
/// Normal with this mean and standard deviation.
MINIMA_API const Tensor& normal_(const Tensor& x, double mean = 0, double std = 1,
                                 RandomGenerator* generator = nullptr);
/// 1 with this probability, else 0.
MINIMA_API const Tensor& bernoulli_(const Tensor& x, double probability = 0.5, RandomGenerator* generator = nullptr);

/// `count` draws from each row of nonnegative weights [C] or [N, C], which need not add up to 1: int64 [count] or
/// [N, count], without gradient. Without replacement, no class is drawn twice. On the CPU, throws ValueError for
/// negative or infinite weights, and for rows with too few positive ones.
MINIMA_API Tensor multinomial(const Tensor& weights, std::int64_t count, bool replacement = false,
                              RandomGenerator* generator = nullptr);
/// 1 with the probability that p has, else 0, in p's floating dtype; without gradient.
MINIMA_API Tensor bernoulli(const Tensor& p, RandomGenerator* generator = nullptr);
/// Whole numbers k = 0, 1, … with probability rateᵏ·exp(-rate) / k!, in the rate's floating dtype; NaN for a rate that
/// is negative or not finite. Without gradient. Inverts the cdf for rates below 10, else rejects (Hörmann 1993), which
/// reads back from the device how many are missing.
MINIMA_API Tensor poisson(const Tensor& rate, RandomGenerator* generator = nullptr);

}  // namespace minima
