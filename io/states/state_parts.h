#pragma once

#include <minima/io/state.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima {

/// A rank's piece of a tensor that ranks share out: elements [offset, offset + local.numel()) of the tensor in
/// row-major order. A rank that has no element of it gives an empty `local`, or none.
struct TensorPiece {
  std::string name;
  Shape shape;              ///< of the whole tensor
  std::int64_t offset = 0;  ///< in elements
  Tensor local;             ///< of any shape
};

/// Holds what a rank gives to a save. Names that start with `rank.` and a number are reserved.
struct StateParts {
  State replicated = {};                 ///< equal on all ranks; written once, spread over them
  std::vector<TensorPiece> pieces = {};  ///< of tensors that are not in `replicated`
  State own = {};                        ///< this rank's alone, such as its random numbers' position
};

}  // namespace minima
