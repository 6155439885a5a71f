#pragma once

#include "network.h"

/// FLOPs of one forward and backward for a batch of this shape: three times the forward's, because the gradients with
/// respect to input and weight each cost as much.
double training_flops(ResNet& network, const minima::Shape& batch);

/// FLOP/s of a large product of square matrices of this dtype, the best of five.
double matmul_rate(minima::Device device, minima::DType dtype);
