#pragma once

#include <minima/tensor/base/device.h>

#include <driver_types.h>

// Handles of cuSOLVER and cuBLAS. Toolkits can be installed without them: then there is nothing here.

#if __has_include(<cusolverDn.h>) && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#include <cusolverDn.h>

namespace minima::cuda {

/// Throws an error that names the call, or the device's error if that made the call fail.
void check_solver(cusolverStatus_t status, const char* call);
void check_blas(cublasStatus_t status, const char* call);

/// Handles that are set to a stream. They keep memory that their work uses, so no other stream gets them.
struct SolverHandles {
  cudaStream_t stream = nullptr;
  cusolverDnHandle_t solver = nullptr;
  cusolverDnParams_t params = nullptr;
  cublasHandle_t blas = nullptr;  ///< see blas_of
};

/// Handles of the device's current stream that no other thread has: those of an ended call, or new ones. Thread-safe.
SolverHandles acquire_solver(Device device);
/// Gives them back. They are kept until the process ends.
void release_solver(Device device, const SolverHandles& handles);

/// Their handle of cuBLAS, made when it is first needed.
cublasHandle_t blas_of(SolverHandles& handles, Device device);

}  // namespace minima::cuda
#endif
