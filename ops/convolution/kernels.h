#pragma once

#include <minima/ops/convolution/geometry.h>
#include <minima/tensor/tensor.h>

// The kernels of convolutions and of fold. Internal.

namespace minima::detail {

enum class ConvPart : std::uint8_t;  // ops/cudnn/graph.h
struct ConvEnding;                   // ops/convolution/conv_ending.h

/// y = conv2d(x, weight, bias); y is row-major or channels_last, bias may be undefined.
void conv2d_cpu(const ConvGeometry& geometry, const Tensor& x, const Tensor& weight, const Tensor& bias,
                const Tensor& y);
/// y = the ending of conv2d(x, weight); y is channels_last, and all are float32.
void conv2d_norm_cpu(const ConvGeometry& geometry, const Tensor& x, const Tensor& weight, const ConvEnding& ending,
                     const Tensor& y);
/// x_gradient may have any dense order.
void conv2d_input_gradient_cpu(const ConvGeometry& geometry, const Tensor& g, const Tensor& weight,
                               const Tensor& x_gradient);
/// weight_gradient = … or += …; any layout without overlaps.
void conv2d_weight_gradient_cpu(const ConvGeometry& geometry, const Tensor& x, const Tensor& g,
                                const Tensor& weight_gradient, bool accumulate);

/// The same on CUDA: by cuDNN where it can, else by products over patches.
void conv2d_cuda(const ConvGeometry& geometry, const Tensor& x, const Tensor& weight, const Tensor& bias,
                 const Tensor& y);
void conv2d_input_gradient_cuda(const ConvGeometry& geometry, const Tensor& g, const Tensor& weight,
                                const Tensor& x_gradient);
void conv2d_weight_gradient_cuda(const ConvGeometry& geometry, const Tensor& x, const Tensor& g,
                                 const Tensor& weight_gradient, bool accumulate);

/// x, row-major → columns [N, C · kH · kW, positions]; float32 or float64.
void unfold_kernel_cpu(const ConvGeometry& geometry, const Tensor& x, const Tensor& columns);
/// The reverse, adding up.
void fold_kernel_cpu(const ConvGeometry& geometry, const Tensor& columns, const Tensor& x);

/// x, channels_last → patches [N · positions, kH · kW, C]; any floating dtype.
void unfold_kernel_cuda(const ConvGeometry& geometry, const Tensor& x, const Tensor& patches);
/// The reverse, adding up; float32 or float64.
void fold_kernel_cuda(const ConvGeometry& geometry, const Tensor& patches, const Tensor& x);

/// Computes one part of a convolution by cuDNN. Returns false, with nothing done, where cuDNN cannot. x, weight and y
/// are dense, all channels_last or all row-major, and 16-byte aligned; bias is dense or undefined.
bool conv2d_by_cudnn(ConvPart part, const ConvGeometry& geometry, bool channels_last, const Tensor& x,
                     const Tensor& weight, const Tensor& y, const Tensor& bias);

}  // namespace minima::detail
