#include <minima/tensor/cuda/launch.cuh>

#include <minima/tensor/base/environment.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>

#include <cstddef>
#include <string>

namespace minima::cuda {

namespace {

bool launches_block() {
  static const bool wanted = minima::detail::environment_flag("MINIMA_LAUNCH_BLOCKING", false);
  return wanted;
}

void check_kernel(cudaError_t status, const char* name) {
  if (status != cudaSuccess) [[unlikely]]
    throw_status(status, ("kernel " + std::string(name)).c_str());
}

}  // namespace

void launch_kernel(const char* name, const void* kernel, const Grid& grid, void** arguments) {
  if (grid.blocks.x == 0 || grid.blocks.y == 0 || grid.blocks.z == 0) return;
  constexpr std::size_t without_opting_in = 48 << 10;
  if (grid.shared_bytes > without_opting_in)
    check_kernel(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(grid.shared_bytes)),
        name);
  const cudaStream_t stream = detail::current_stream_state(detail::thread_device.device)->handle;
  check_kernel(cudaLaunchKernel(kernel, grid.blocks, grid.threads, arguments, grid.shared_bytes, stream), name);
  if (launches_block()) check_kernel(cudaStreamSynchronize(stream), name);
}

}  // namespace minima::cuda
