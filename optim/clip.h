#pragma once

#include <minima/tensor/tensor.h>

#include <vector>

namespace minima::optim {

/// Scales all gradients by one factor so that their joint norm (Σ|g|ᵖ)^(1/p) is at most `max_norm`; p may be infinity.
/// Returns the norm before clipping. With `error_if_nonfinite` a NaN or infinite norm throws ValueError and leaves the
/// gradients alone; otherwise it spreads to them, as in PyTorch.
MINIMA_API double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double p = 2,
                                  bool error_if_nonfinite = false);
/// Limits every element of every gradient to [-limit, limit].
MINIMA_API void clip_grad_value_(const std::vector<Tensor>& parameters, double limit);

}  // namespace minima::optim
