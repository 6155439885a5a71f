#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

namespace minima {

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
