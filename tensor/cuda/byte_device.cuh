#pragma once

namespace minima::cuda {

/// Writes to *first the smallest index whose byte is not `expected`, and leaves it alone if there is none. The caller
/// sets it to the largest number before.
static __global__ void find_foreign_byte_kernel(const unsigned char* bytes, unsigned long long count,
                                                unsigned char expected, unsigned long long* first) {
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step)
    if (bytes[i] != expected) atomicMin(first, i);
}

}  // namespace minima::cuda
