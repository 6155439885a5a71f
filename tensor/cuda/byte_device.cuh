#pragma once

namespace minima::cuda {

/// Writes the smallest index whose byte is not `expected` to *first, which the caller has set to the maximum. Leaves it
/// unchanged if there is none.
static __global__ void find_foreign_byte_kernel(const unsigned char* bytes, unsigned long long count,
                                                unsigned char expected, unsigned long long* first) {
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step)
    if (bytes[i] != expected) atomicMin(first, i);
}

}  // namespace minima::cuda
