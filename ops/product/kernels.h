#pragma once

#include <minima/ops/core/spec.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/tensor/tensor.h>

// The kernels of matrix, linear and cross products.

namespace minima::detail {

/// The product's spec for inputs of one dtype; throws ShapeError unless they fit.
TensorSpec matmul_spec(const Tensor& a, const Tensor& b);
/// y = a × b for checked inputs of rank ≥ 1; y is row-major and has matmul's result shape.
void matmul_kernel(const Tensor& a, const Tensor& b, const Tensor& y);

/// y = activation(x · weightᵀ + bias), y row-major. `pre_activation`, if defined, has y's shape and layout and receives
/// the values before the activation.
void linear_kernel(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation, const Tensor& y,
                   const Tensor& pre_activation = {});

/// x_gradient = g · weight, row-major, of the shape of x.
void linear_input_gradient(const Tensor& g, const Tensor& weight, const Tensor& x_gradient);

/// z_gradient = (g · weight) · activation'(·), the latter from the values `saved` before both gelus and after relu,
/// which have z_gradient's layout. If `bias_gradient`, of the same dtype, is defined and the device can sum in the same
/// pass, the sums of z_gradient over its rows are written there; returns whether they were.
bool linear_activation_gradient(const Tensor& g, const Tensor& weight, const Tensor& saved, Activation activation,
                                const Tensor& z_gradient, const Tensor& bias_gradient);

/// Whether linear_weight_gradient can write into this layout.
bool is_product_target(const Layout& layout);
/// target [out, in] = gᵀ · x, over all rows of g [..., out] and x [..., in], or += . If `bias_gradient` [out], of
/// target's dtype, is defined and the device can sum in the same pass, Σ g is written there; returns whether it was.
bool linear_weight_gradient(const Tensor& g, const Tensor& x, const Tensor& target, bool accumulate,
                            const Tensor& bias_gradient = {});

/// g · activation'(·), from the output for relu and from the values before the activation for both gelus; reuses g's
/// memory if `reuse` is set.
Tensor activation_gradient(const Tensor& g, const Tensor& saved, Activation activation, bool reuse);
/// The same into `result`, which has g's layout and may be g.
void activation_gradient(const Tensor& g, const Tensor& saved, Activation activation, const Tensor& result);

/// y = a × b along `dim`, which has three elements. All row-major, of one shape and floating dtype.
void cross_kernel_cpu(const Tensor& a, const Tensor& b, int dim, Tensor& y);

}  // namespace minima::detail
