#pragma once

#include <cublasLt.h>
#include <cudnn.h>

#include <cstddef>

// What the libraries need beside their arguments. Made on first use, kept until the process ends.

namespace minima::cuda {

/// cuBLASLt's handle for the thread's current GPU; it may be used by several threads at once.
cublasLtHandle_t cublas_lt_handle();

/// cuDNN's handle for the calling thread and its current GPU, set to its current stream. No two threads share one; a
/// thread that ends leaves its handles to the next.
cudnnHandle_t cudnn_handle();

/// Scratch memory of the thread's current stream, at the same address for the process's life: 32 MiB from Hopper on,
/// 8 MiB before, as NVIDIA recommends for cuBLASLt. Work of one stream runs in order, so it has it for itself; only
/// two threads that drive one stream must not both use it for parts of one result.
struct Workspace {
  void* data;
  std::size_t bytes;
};
Workspace workspace();

}  // namespace minima::cuda
