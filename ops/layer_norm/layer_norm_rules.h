#pragma once

#include <minima/ops/layer_norm/layer_norm_kernels.h>
#include <minima/ops/op.h>

// What layer_norm, add_layer_norm and rms_norm share: the checks of their arguments and the gradient of the
// normalisation.

namespace minima::detail {

/// Throws unless x ends in `normalized` and weight and bias have that shape where they are defined. Returns the number
/// of rows that are normalised.
std::int64_t check_layer_norm(const char* op, const Tensor& x, const Shape& normalized, const Tensor& weight,
                              const Tensor& bias);

/// The gradients of x, weight and bias.
struct LayerNormGradients {
  Tensor x, weight, bias;
};

/// By public operators, differentiable to any order; only what is wanted.
LayerNormGradients layer_norm_gradient(const Tensor& g, const Tensor& x, const Tensor& weight, int normalized_rank,
                                       const RowNorm& norm, bool wants_x, bool wants_weight, bool wants_bias);

/// By the fused kernel of x's device, with the mean and rstd that the forward kept (mean undefined: not centered);
/// `also`, where it is defined, is added to the gradient of x.
LayerNormGradients layer_norm_fast_gradient(const Tensor& g, const Tensor& x, const Tensor& weight, const Tensor& mean,
                                            const Tensor& rstd, const Shape& normalized, const Tensor& also,
                                            bool wants_x, bool wants_weight, bool wants_bias);

/// x, or a row-major copy that is not recorded.
Tensor in_rows(const Tensor& x);

}  // namespace minima::detail
