#pragma once

#include <minima/ops/loops/geometry.h>
#include <minima/ops/loops/plan.h>

#include <vector>

namespace minima::reduction {

/// How a reduction is divided into threads and blocks; the host side of ops/reduce/reduce.cuh. It depends only on the
/// tensors, so every GPU returns the same bits.
struct Schedule {
  struct Part {
    pointwise::Part elements;     ///< of each output; fewer than 2^31
    std::uint32_t split, splits;  ///< elements per block, and blocks
    std::uint32_t first_part;     ///< the index of the first block's partial state
    std::int64_t first_index;
    bool packed;
  };
  std::vector<pointwise::Part> outputs;  ///< several parts for 2^31 or more
  std::vector<Part> reduced;             ///< empty if nothing is reduced
  std::uint32_t lanes;
  bool is_row;          ///< the elements of an output are neighbours in memory
  bool columns;         ///< otherwise, and outputs are read in packs
  std::uint32_t parts;  ///< partial states per output
};

/// `outs` have size 1 in reduced dimensions. `indexed`: elements must be visited in row-major order. `width`: the
/// number of elements in a pack.
Schedule schedule(const pointwise::Operand* outs, int out_count, const pointwise::Operand& in, bool indexed, int width);

}  // namespace minima::reduction
