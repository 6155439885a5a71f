#pragma once

#include <minima/tensor/tensor.h>

#include <vector>

// Passes over all gradients at once: one parallel loop on the CPU, one launch per 256 tensors on CUDA. Results stay on
// the device.

namespace minima::optim::detail {

/// The gradients of those parameters that have one.
std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters);

/// Σ|g|ᵖ over all elements, or max|g| for p = ∞: float64 of rank 0 on the first gradient's device. NaN propagates.
Tensor power_sum(const std::vector<Tensor>& gradients, double p);

/// power_sum over the gradients of these parameters, with the parts that other processes have; undefined if no
/// parameter has a gradient here or elsewhere.
MINIMA_API Tensor power_sum_of(const std::vector<Tensor>& parameters, double p);

/// Sets `found_inf` (float32 of rank 0) to 1 where another process that has parts of these parameters has found one.
MINIMA_API void share_found_inf(const std::vector<Tensor>& parameters, const Tensor& found_inf);

/// Hears of each step and norm before it reads the gradients of `parameters`, for checks; may throw. Process-wide; null
/// removes it.
using GradientReader = void (*)(const char* reader, const std::vector<Tensor>& parameters, bool is_norm);
MINIMA_API void set_gradient_reader(GradientReader reader);
/// Returns null if there is none.
GradientReader gradient_reader();

/// Multiplies all gradients by `factor` (float64 of rank 0). Sets `found_inf` (float32 of rank 0, or undefined) to 1 if
/// an element was not finite.
MINIMA_API void scale(const std::vector<Tensor>& gradients, const Tensor& factor, const Tensor& found_inf);
/// Sets `found_inf` to 1 if an element is not finite.
MINIMA_API void find_non_finite(const std::vector<Tensor>& gradients, const Tensor& found_inf);

}  // namespace minima::optim::detail
