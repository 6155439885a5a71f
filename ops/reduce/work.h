#pragma once

#include <minima/ops/loops/geometry.h>
#include <minima/ops/loops/operand.h>

#include <vector>

namespace minima::reduction {

/// How a reduction is laid out over a GPU; the host's part of ops/reduce/reduce.cuh. It depends on the tensors alone,
/// so that every GPU gives the same bits.
struct Schedule {
  struct Part {
    pointwise::Part elements;     ///< of each output: some, if there are 2^31 or more
    std::uint32_t split, splits;  ///< elements per block, and blocks
    std::uint32_t first_part;     ///< the number of the first block's partial state
    std::int64_t first_index;
    bool packed;
  };
  std::vector<pointwise::Part> outputs;  ///< more than one if there are 2^31 or more
  std::vector<Part> reduced;             ///< none if nothing is reduced
  std::uint32_t lanes;
  bool is_row;
  std::uint32_t parts;  ///< of all of them together, per output
};

/// `outs` have size 1 where something is reduced. `indexed`: elements must be visited in row-major order. `width`: the
/// elements of a pack.
Schedule schedule(const pointwise::Operand* outs, int out_count, const pointwise::Operand& in, bool indexed, int width);

}  // namespace minima::reduction
