#pragma once

// All operators' declarations.

#include <minima/ops/add_layer_norm/add_layer_norm.h>
#include <minima/ops/attention/attention.h>
#include <minima/ops/avg_pool2d/avg_pool2d.h>
#include <minima/ops/batch_norm/batch_norm.h>
#include <minima/ops/cat/cat.h>
#include <minima/ops/conv2d/conv2d.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/cross_entropy/cross_entropy.h>
#include <minima/ops/dropout/dropout.h>
#include <minima/ops/embedding/embedding.h>
#include <minima/ops/gather/gather.h>
#include <minima/ops/layer_norm/layer_norm.h>
#include <minima/ops/linear/linear.h>
#include <minima/ops/linear_cross_entropy/linear_cross_entropy.h>
#include <minima/ops/matmul/matmul.h>
#include <minima/ops/max_pool2d/max_pool2d.h>
#include <minima/ops/nonzero/nonzero.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/softmax/softmax.h>
#include <minima/ops/view/view.h>
