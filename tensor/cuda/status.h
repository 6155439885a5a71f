#pragma once

#include <minima/tensor/base/api.h>

#include <cuda_runtime_api.h>

// Every status of the CUDA runtime goes through MINIMA_CUDA_CHECK, which names the call that failed. Errors that leave
// the context unusable (an illegal address, say) are kept: from then on every checked call throws the first one and
// frees do nothing, since nothing on the device can be relied on.

namespace minima::cuda {

/// Throws Error for a failed status. `call` is the source text, of which the function's name is shown.
[[noreturn]] void throw_status(cudaError_t status, const char* call);
/// True after an error that the process cannot recover from.
bool is_broken() noexcept;
/// Throws the first unrecoverable error if there was one.
void throw_if_broken();

inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) [[unlikely]]
    throw_status(status, call);
}

/// For destructors: a failure is kept, and the next synchronising call on the device throws it.
void keep_failure(cudaError_t status, const char* call) noexcept;
/// Throws what keep_failure() kept, and what kernels noted (fault.h), once. For calls that have waited for a device.
void throw_kept_failure();

}  // namespace minima::cuda

#define MINIMA_CUDA_CHECK(call) ::minima::cuda::check((call), #call)
