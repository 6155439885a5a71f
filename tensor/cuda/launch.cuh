#pragma once

#include <minima/tensor/base/api.h>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// The one way to start a kernel: launch("softmax", {blocks, threads}, softmax_kernel<float>, x, y, n). Kernel bodies
// sit in *_kernels.cuh, the launches in *.cu.

namespace minima::cuda {

/// How many threads run a kernel, and the dynamic shared memory of each block in bytes. No blocks: nothing runs.
struct Grid {
  dim3 blocks;
  dim3 threads;
  std::size_t shared_bytes = 0;
};

/// Enough blocks of `threads` for `count` threads, at most what a grid can hold; the kernel strides over the rest.
inline Grid grid_for(std::int64_t count, unsigned threads = 256) {
  const std::int64_t blocks = (count + threads - 1) / threads;
  return {dim3(static_cast<unsigned>(blocks < 0x7fffffff ? blocks : 0x7fffffff)), dim3(threads), 0};
}

/// Puts the kernel into the thread's current stream. `arguments` points at each argument. Throws Error naming `name`;
/// with MINIMA_LAUNCH_BLOCKING=1 waits for the kernel, so that what fails in it is reported here too.
MINIMA_API void launch_kernel(const char* name, const void* kernel, const Grid& grid, void** arguments);

/// Starts kernel(arguments…), each converted to the kernel's parameter type.
template <class... Parameters, class... Arguments>
void launch(const char* name, const Grid& grid, void (*kernel)(Parameters...), const Arguments&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each parameter of the kernel");
  const auto start = [&](Parameters... values) {
    void* pointers[] = {const_cast<void*>(static_cast<const volatile void*>(&values))..., nullptr};
    launch_kernel(name, reinterpret_cast<const void*>(kernel), grid, pointers);
  };
  start(static_cast<Parameters>(arguments)...);
}

}  // namespace minima::cuda
