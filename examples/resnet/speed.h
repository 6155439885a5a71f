#pragma once

#include "network.h"

/// Floating-point operations of one forward and backward for a batch of this shape: three times what the operators
/// claim for the forward, since the gradients by input and by weight each cost as much.
double training_flops(ResNet& network, const minima::Shape& batch);

/// Floating-point operations per second of a large float32 product of square matrices, the best of a few.
double matmul_rate(minima::Device device, minima::DType dtype);

/// Waits until a GPU is done with what it was given; the CPU always is.
void wait_for(minima::Device device);
