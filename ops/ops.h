#pragma once

// All operators' declarations.

// IWYU pragma: begin_exports
#include <minima/ops/add_layer_norm/add_layer_norm.h>
#include <minima/ops/arrange/arrange.h>
#include <minima/ops/attention/attention.h>
#include <minima/ops/avg_pool2d/avg_pool2d.h>
#include <minima/ops/batch_norm/batch_norm.h>
#include <minima/ops/cat/cat.h>
#include <minima/ops/conv1d/conv1d.h>
#include <minima/ops/conv2d/conv2d.h>
#include <minima/ops/conv3d/conv3d.h>
#include <minima/ops/conv_transpose2d/conv_transpose2d.h>
#include <minima/ops/conv_transpose3d/conv_transpose3d.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/cross_entropy/cross_entropy.h>
#include <minima/ops/diagonal/diagonal.h>
#include <minima/ops/dropout/dropout.h>
#include <minima/ops/einsum/einsum.h>
#include <minima/ops/embedding/embedding.h>
#include <minima/ops/gather/gather.h>
#include <minima/ops/group_norm/group_norm.h>
#include <minima/ops/index/index.h>
#include <minima/ops/inplace/in_place.h>
#include <minima/ops/interpolate/interpolate.h>
#include <minima/ops/layer_norm/layer_norm.h>
#include <minima/ops/linear/linear.h>
#include <minima/ops/linear_cross_entropy/linear_cross_entropy.h>
#include <minima/ops/loss/loss.h>
#include <minima/ops/lp_pool/lp_pool.h>
#include <minima/ops/matmul/matmul.h>
#include <minima/ops/max_pool2d/max_pool2d.h>
#include <minima/ops/max_unpool/max_unpool.h>
#include <minima/ops/nonzero/nonzero.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/bitwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/pool1d/pool1d.h>
#include <minima/ops/pool3d/pool3d.h>
#include <minima/ops/recurrent/packed_sequence.h>
#include <minima/ops/recurrent/recurrent.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/rms_norm/rms_norm.h>
#include <minima/ops/scan/scan.h>
#include <minima/ops/searchsorted/searchsorted.h>
#include <minima/ops/softmax/softmax.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/view.h>
// IWYU pragma: end_exports
