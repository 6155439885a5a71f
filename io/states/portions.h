#pragma once

#include <minima/io/states/state_parts.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::detail {

/// Elements [offset, offset + count) of a tensor in row-major order, which one rank writes.
struct Portion {
  std::string name;
  Shape shape;  ///< of the whole tensor
  DType dtype = DType::float32;
  std::int64_t offset = 0;
  std::int64_t count = 0;
  Tensor source;           ///< detached
  std::int64_t begin = 0;  ///< of the portion, in the source's elements in row-major order

  bool is_whole() const { return count == numel(shape); }
  std::size_t bytes() const { return static_cast<std::size_t>(count) * size_of(dtype); }
};

/// Lists what `rank` of `ranks` writes, in the order of the parts. Replicated tensors are laid end to end and the bytes
/// cut into equal shares: a tensor below 1 MiB or not contiguous goes to the rank in whose share it begins, a larger
/// one is cut. Throws ValueError for names that are reserved or occur twice, and for pieces outside of their tensor.
std::vector<Portion> portions_of(const StateParts& parts, int rank, int ranks);

/// A checksum of what decides the shares: names, dtypes, shapes and layouts of the replicated tensors.
std::uint32_t checksum_of_plan(const State& replicated);

/// `rank.3.`: what precedes the names of a rank's own tensors.
std::string own_prefix(int rank);
/// Whether a name starts with `rank.` and a digit.
bool is_own_name(const std::string& name);

}  // namespace minima::detail
