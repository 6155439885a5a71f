#pragma once

#include <minima/tensor/tensor.h>

#include <vector>

// Passes over all gradients at once: parallel over all elements on the CPU, one launch for up to 256 tensors on CUDA,
// and results that stay on the device.

namespace minima::optim::detail {

/// Those that there are.
std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters);

/// Σ|g|ᵖ over all of them, or max|g| for p = ∞: float64 of rank 0 on the first one's device. NaN if there is one.
Tensor power_sum(const std::vector<Tensor>& gradients, double p);

/// Multiplies them all by a float64 of rank 0. Where `found_inf` (float32 of rank 0, or undefined) is given, it becomes
/// 1 if an element was not finite.
MINIMA_API void scale(const std::vector<Tensor>& gradients, const Tensor& factor, const Tensor& found_inf);
/// `found_inf` becomes 1 if an element is not finite.
MINIMA_API void find_non_finite(const std::vector<Tensor>& gradients, const Tensor& found_inf);

}  // namespace minima::optim::detail
