#pragma once

#include <minima/optim/optimizer.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima::optim {

/// Scales all gradients by one factor so that their total norm (Σ|g|ᵖ)^(1/p) is at most `max_norm`; p may be infinity.
/// Returns the norm before clipping, float64 of rank 0 on the gradients' device, without synchronising. NaN and
/// infinities spread to all gradients, as in PyTorch. With a loss scaler, call its unscale() first.
MINIMA_API Tensor clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double p = 2);
/// The same, but throws ValueError if the norm is not finite, leaving the gradients unchanged. Synchronises.
MINIMA_API Tensor clip_grad_norm_or_throw_(const std::vector<Tensor>& parameters, double max_norm, double p = 2);
/// Clips each group by its own norm; returns the norms.
MINIMA_API std::vector<Tensor> clip_grad_norm_per_group_(const Optimizer& optimizer, double max_norm, double p = 2);
/// Clamps every element of every gradient to [-limit, limit].
MINIMA_API void clip_grad_value_(const std::vector<Tensor>& parameters, double limit);
/// The norm, without clipping.
MINIMA_API Tensor grad_norm(const std::vector<Tensor>& parameters, double p = 2);

}  // namespace minima::optim
