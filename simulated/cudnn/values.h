#pragma once

#include "simulated/machine/schedule.h"

#include <minima/ops/cudnn/graph.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>

#include <cstddef>
#include <cstdint>
#include <vector>

// The tensors of a graph as numbers: read from their addresses by their strides, computed with in row-major order.

namespace simulated {

using minima::detail::GraphTensor;

struct Values {
  explicit Values(const GraphTensor& like);

  /// The place of an element of a tensor of rank 4.
  std::size_t place(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) const {
    return static_cast<std::size_t>(((a * shape[1] + b) * shape[2] + c) * shape[3] + d);
  }
  double at(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) const { return data[place(a, b, c, d)]; }
  double& at(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) { return data[place(a, b, c, d)]; }

  minima::Shape shape;
  std::vector<double> data;  ///< row-major
};

Values read(const GraphTensor& tensor, const void* address);
/// To the nearest number of a floating dtype, by way of float32.
double rounded(double value, minima::DType dtype);
/// Rounds to the tensor's dtype.
void write(const Values& values, const GraphTensor& tensor, void* address);

/// The memory from the tensor's first element to its last.
Access extent(const GraphTensor& tensor, const void* address);

}  // namespace simulated
