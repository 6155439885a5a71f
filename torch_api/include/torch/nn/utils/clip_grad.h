#pragma once

#include <torch/types.h>

#include <initializer_list>
#include <vector>

namespace torch::nn::utils {

/// Scales the gradients so that their total norm is at most `max_norm`; returns the norm before. Computes the norm in
/// float64. With `error_if_nonfinite`, an infinite or NaN norm throws and leaves the gradients as they are.
double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type = 2.0,
                       bool error_if_nonfinite = false);
double clip_grad_norm_(std::initializer_list<Tensor> parameters, double max_norm, double norm_type = 2.0,
                       bool error_if_nonfinite = false);
double clip_grad_norm_(Tensor parameter, double max_norm, double norm_type = 2.0, bool error_if_nonfinite = false);

/// Clamps every element of the gradients to [-clip_value, clip_value].
void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value);
void clip_grad_value_(std::initializer_list<Tensor> parameters, double clip_value);
void clip_grad_value_(Tensor parameter, double clip_value);

}  // namespace torch::nn::utils
