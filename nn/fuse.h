#pragma once

#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/norm/batch_norm.h>

namespace minima::nn {

/// One convolution that computes norm(conv(x)) in evaluation mode, with the running statistics folded into its weight
/// and bias; both arguments stay as they are. torch.nn.utils.fuse_conv_bn_eval. Throws ValueError if a layer is in
/// training mode or keeps no statistics, ShapeError if the channels differ.
MINIMA_API Conv2d fuse_conv_bn_eval(const Conv2d& conv, const BatchNorm2d& norm);
/// The same of a linear layer without an activation of its own. torch.nn.utils.fuse_linear_bn_eval.
MINIMA_API Linear fuse_linear_bn_eval(const Linear& linear, const BatchNorm1d& norm);

}  // namespace minima::nn
