#pragma once

#include <cstdint>

namespace minima::cuda {

/// Of a launch for several tensors: the one that a block works on. first_block[t] is the first block of tensor t.
__device__ inline int piece_of_block(const std::uint32_t* first_block, int count, std::uint32_t block) {
  int low = 0, high = count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (first_block[middle] <= block) low = middle;
    else high = middle - 1;
  }
  return low;
}

}  // namespace minima::cuda
