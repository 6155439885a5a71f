#pragma once

#include <minima/ops/norm/kernels.h>
#include <minima/ops/op.h>

// Shared by layer_norm and rms_norm, and by both with a residual: argument checks and the gradient of the
// normalisation.

namespace minima::detail {

/// Throws unless x ends in `normalized` and weight and bias, if defined, have that shape. Returns the number of rows.
std::int64_t check_layer_norm(const char* op, const Tensor& x, const Shape& normalized, const Tensor& weight,
                              const Tensor& bias);

/// Throws unless residual has x's shape and floating dtype, or x has a half type and residual is float32.
void check_residual(const char* op, const Tensor& x, const Tensor& residual);

/// Says which gradients a formula computes; with `branch` that of x in y's dtype, too.
struct LayerNormWants {
  bool x = false, weight = false, bias = false, branch = false;
};

/// By public operators, differentiable to any order; computes only what is wanted.
LayerNormGradients layer_norm_gradient(const Tensor& g, const Tensor& x, const Tensor& weight, int normalized_rank,
                                       const RowNorm& norm, const LayerNormWants& wants);

/// By the fused kernel of x's device, with the mean and rstd that the forward pass saved (mean undefined: not
/// centered); `also`, if defined, is added to the gradient of x, and its memory reused if no one else holds it.
LayerNormGradients layer_norm_fast_gradient(const Tensor& g, const Tensor& x, const Tensor& weight, const Tensor& mean,
                                            const Tensor& rstd, const Shape& normalized, const Tensor& also,
                                            const LayerNormWants& wants);

/// x, or an unrecorded row-major copy.
Tensor in_rows(const Tensor& x);

}  // namespace minima::detail
