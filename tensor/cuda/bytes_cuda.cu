#include <minima/tensor/cuda/bytes.h>
#include <minima/tensor/cuda/byte_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

static_assert(__cplusplus >= 202002L, "nvcc was not told to compile C++20");

namespace minima::cuda {

void find_foreign_byte(const void* bytes, std::int64_t count, unsigned char expected, unsigned long long* first) {
  launch("find_foreign_byte", grid_for(count), find_foreign_byte_kernel, static_cast<const unsigned char*>(bytes),
         static_cast<unsigned long long>(count), expected, first);
}

}  // namespace minima::cuda
