#pragma once

#include <minima/tensor/base/api.h>

#include <cuda_runtime_api.h>

// Every CUDA runtime call is wrapped in MINIMA_CUDA_CHECK, which names the call that failed. After an error that makes
// the context unusable, such as an illegal address, every checked call throws that first error, and frees do nothing.

namespace minima::cuda {

/// Throws an Error for a failed status. `call` is the source text of the call; the message shows the function's name.
[[noreturn]] void throw_status(cudaError_t status, const char* call);
/// True after an unrecoverable error.
bool is_broken() noexcept;
/// Throws the first unrecoverable error if there was one.
void throw_if_broken();

inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) [[unlikely]]
    throw_status(status, call);
}

/// For destructors: stores a failure, which the next call that waits for a device throws.
void keep_failure(cudaError_t status, const char* call) noexcept;
/// Throws a failure stored by keep_failure() or recorded by a kernel (fault.h), once. For calls that have waited for a
/// device.
void throw_kept_failure();

}  // namespace minima::cuda

#define MINIMA_CUDA_CHECK(call) ::minima::cuda::check((call), #call)
