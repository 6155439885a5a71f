#pragma once

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/status.h>

#include <cuda.h>

// Replaces the library's header of this name: only the driver is simulated, not cuBLASLt and cuDNN.

namespace minima::cuda {

inline void check(CUresult status, const char* call) {
  if (status == CUDA_SUCCESS) return;
  const char* name = "unknown";
  cuGetErrorName(status, &name);
  throw Error(str("CUDA driver: ", call, ": ", name));
}

}  // namespace minima::cuda
