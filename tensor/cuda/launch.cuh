#pragma once

#include <minima/tensor/base/api.h>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// Starts kernels: launch("softmax", {blocks, threads}, softmax_kernel<float>, x, y, n). Kernels are in *_device.cuh,
// their launches in *.cu.

namespace minima::cuda {

/// The number of blocks and threads, and the dynamic shared memory per block in bytes. Without blocks nothing runs.
struct Grid {
  dim3 blocks;
  dim3 threads;
  std::size_t shared_bytes = 0;
};

/// Blocks of `threads` for `count` threads, limited to the maximum grid size; kernels must loop with the grid's stride.
inline Grid grid_for(std::int64_t count, unsigned threads = 256) {
  const std::int64_t blocks = (count + threads - 1) / threads;
  return {dim3(static_cast<unsigned>(blocks < 0x7fffffff ? blocks : 0x7fffffff)), dim3(threads), 0};
}

/// Starts a kernel of one type on a stream.
using StartKernel = cudaError_t (*)(const void* kernel, const Grid& grid, void** arguments, cudaStream_t stream);

/// Launches the kernel on the thread's current stream. `arguments` holds a pointer to each argument. Throws an Error
/// that names the kernel. With MINIMA_LAUNCH_BLOCKING=1 it waits for the kernel and also reports errors inside it.
MINIMA_API void launch_kernel(const char* name, const void* kernel, StartKernel start, const Grid& grid,
                              void** arguments);

/// Calls CUDA with the kernel's type. A block may use up to 48 KB of shared memory without opting in to more.
template <class... Parameters>
cudaError_t start_kernel(const void* address, const Grid& grid, void** arguments, cudaStream_t stream) {
  auto* const kernel = reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(address));
  if (grid.shared_bytes > std::size_t{48} << 10) {
    const auto bytes = static_cast<int>(grid.shared_bytes);
    const cudaError_t status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (status != cudaSuccess) return status;
  }
  return cudaLaunchKernel(kernel, grid.blocks, grid.threads, arguments, grid.shared_bytes, stream);
}

/// Launches kernel(arguments…), converting each argument to the kernel's parameter type.
template <class... Parameters, class... Arguments>
void launch(const char* name, const Grid& grid, void (*kernel)(Parameters...), const Arguments&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each parameter of the kernel");
  const auto start = [&](Parameters... values) {
    void* pointers[] = {const_cast<void*>(static_cast<const volatile void*>(&values))..., nullptr};
    launch_kernel(name, reinterpret_cast<const void*>(kernel), start_kernel<Parameters...>, grid, pointers);
  };
  start(static_cast<Parameters>(arguments)...);
}

}  // namespace minima::cuda
