#pragma once

#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>

// Replaces the library's header of this name: operators run their CUDA kernels on the CPU, in CPU memory.

namespace minima::detail {

inline constexpr bool has_cuda_kernels = true;

/// False while a test compares with the CPU kernels.
bool simulates_cuda();
/// Notes that `op` has no CUDA kernel and runs its CPU kernel instead.
void note_missing_kernel(const char* op);

inline bool on_cuda(const Tensor&) { return simulates_cuda(); }
inline bool needs_cuda_kernel(const char* op, const Tensor&, bool has_kernel) {
  if (!simulates_cuda()) return false;
  if (!has_kernel) note_missing_kernel(op);
  return has_kernel;
}

}  // namespace minima::detail
