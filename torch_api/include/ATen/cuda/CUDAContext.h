#pragma once

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdint>

namespace at::cuda {

bool is_available();
inline std::int64_t getNumGPUs() { return c10::cuda::device_count(); }

}  // namespace at::cuda
