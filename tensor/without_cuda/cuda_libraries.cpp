#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/system/libraries.h>
#include <minima/tensor/system/system_info.h>

#include <vector>

namespace minima::detail {

std::vector<LibraryInfo> cuda_libraries() {
  return {{.name = "CUDA",
           .purpose = "training on NVIDIA GPUs",
           .reason = cuda::unavailable_reason(),
           .consequence = "everything runs on the CPU"}};
}

}  // namespace minima::detail
