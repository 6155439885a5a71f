#pragma once

#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/storage/storage.h>

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

/// Scratch memory for the next launch on the thread's current stream: 8 MiB, as NVIDIA recommends for cuBLASLt, and
/// 80 MiB on Hopper and newer, where 32 are recommended: room for eight float32 copies of a gradient of 3072 x 768, so
/// that a product with few tiles and a long sum can be cut into enough parts to fill the GPU. Work of a stream runs in
/// order, so it has one workspace, at a fixed address; two threads that use the same stream must not rely on its
/// contents between launches. Graphs replay on any stream, so work that is being captured takes a temporary of its
/// graph's pool.
class Workspace {
 public:
  Workspace();
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_;
  std::size_t bytes_;
  StoragePtr temporary_;
};

/// Frees the workspace of a stream that only this thread uses and that is its current one, in stream order.
void free_workspace(minima::detail::StreamState& stream);

}  // namespace minima::cuda
