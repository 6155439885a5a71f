#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

// Draws from Gamma(concentration, 1). Internal to distributions.

namespace minima::distributions::detail {

/// The logarithm of a draw for each element of a floating tensor, in float64 so that tiny draws of small concentrations
/// are kept: differentiable to any order. NaN where the concentration is not positive and finite.
MINIMA_API Tensor log_standard_gamma(const Tensor& concentration, RandomGenerator* generator);

/// d log x / dc along lines of equal probability, -(∂F/∂c) / (x·density) with F the cumulative distribution function:
/// for float64 vectors of concentrations c and log x. Relative error below 1e-9.
MINIMA_API Tensor log_gamma_derivative(const Tensor& concentration, const Tensor& log_x);

}  // namespace minima::distributions::detail
