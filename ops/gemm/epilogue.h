#pragma once

#include <minima/ops/gemm/activation.h>

#include <cstdint>

namespace minima::detail {

/// A finished block of a product, in the compute dtype.
template <class T>
struct Block {
  T* data;
  std::int64_t rows, columns, ld;
};

/// Adds bias to every row.
void add_bias(const Block<float>& block, const float* bias);
void add_bias(const Block<double>& block, const double* bias);
void activate(const Block<float>& block, Activation activation);
void activate(const Block<double>& block, Activation activation);

}  // namespace minima::detail
