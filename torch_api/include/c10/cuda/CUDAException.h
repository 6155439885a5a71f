#pragma once

#include <c10/util/Exception.h>

// For programs with CUDA calls of their own: LibTorch's headers declare those of the runtime.
#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#endif

#define C10_CUDA_CHECK(call)                                                                                  \
  do {                                                                                                        \
    const cudaError_t minima_torch_status = (call);                                                           \
    TORCH_CHECK(minima_torch_status == cudaSuccess, "CUDA error: ", cudaGetErrorString(minima_torch_status)); \
  } while (false)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define AT_CUDA_CHECK(call) C10_CUDA_CHECK(call)
