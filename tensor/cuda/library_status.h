#pragma once

#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/status.h>

#include <cublasLt.h>
#include <cuda.h>
#include <cudnn.h>

// Checks statuses of the driver, cuBLASLt and cuDNN. The error names the call and quotes the library's message.

namespace minima::cuda {

/// Throws an error of the device, if that is why a library failed. Libraries have a CUDA runtime of their own, so the
/// last error of ours knows nothing of it, but every call on a lost device returns it. A stream that is being captured
/// must not be queried.
void check_device(const char* call);

[[noreturn]] void throw_driver_status(CUresult status, const char* call);
[[noreturn]] void throw_cublas_status(cublasStatus_t status, const char* call);
[[noreturn]] void throw_cudnn_status(cudnnStatus_t status, const char* call);

inline void check(CUresult status, const char* call) {
  if (status != CUDA_SUCCESS) [[unlikely]]
    throw_driver_status(status, call);
}
inline void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]]
    throw_cublas_status(status, call);
}
inline void check(cudnnStatus_t status, const char* call) {
  if (status != CUDNN_STATUS_SUCCESS) [[unlikely]]
    throw_cudnn_status(status, call);
}

}  // namespace minima::cuda
