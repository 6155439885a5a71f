#pragma once

#include <cublasLt.h>
#include <cudnn.h>

#include <cstddef>

// Library handles and workspaces, created at first use and kept until the process ends.

namespace minima::cuda {

/// The cuBLASLt handle of the thread's current GPU. Thread-safe.
cublasLtHandle_t cublas_lt_handle();

/// The cuDNN handle of the calling thread and its current GPU, set to its current stream. Threads don't share handles;
/// a new thread reuses those of ended ones.
cudnnHandle_t cudnn_handle();

/// Scratch memory of the thread's current stream, at a fixed address: 32 MiB on Hopper and newer, 8 MiB on older GPUs,
/// as NVIDIA recommends for cuBLASLt. Work of a stream runs in order, so one workspace per stream is enough; two
/// threads that use the same stream must not rely on its contents between launches.
struct Workspace {
  void* data;
  std::size_t bytes;
};
Workspace workspace();

}  // namespace minima::cuda
