#include <minima/tensor/cuda/launch.cuh>

#include <minima/tensor/base/environment.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/memory/device/caching_memory.h>
#include <minima/tensor/memory/device/device_allocator.h>
#include <minima/tensor/memory/device/gpu_memory.h>

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

void launch_kernel(const char* name, const void* kernel, StartKernel start, const Grid& grid, void** arguments) {
  if (grid.blocks.x == 0 || grid.blocks.y == 0 || grid.blocks.z == 0) return;
  const DeviceGuard guard(detail::thread_device.device);
  const cudaStream_t stream = detail::current_stream_state(detail::thread_device.device)->handle;
  const auto launch = [&] { return start(kernel, grid, arguments, stream); };
  cudaError_t status = launch();
  const Device device = Device::cuda(detail::thread_device.device);
  if (status == cudaErrorMemoryAllocation && !minima::detail::is_captured(device)) [[unlikely]] {
    // The first launch loads the kernel's code, for which the allocator's idle memory may leave no room.
    cudaGetLastError();
    minima::detail::gpu_allocator(device, name).memory().empty();
    status = launch();
  }
  check_kernel(status, name);
  if (launches_block()) check_kernel(cudaStreamSynchronize(stream), name);
}

}  // namespace minima::cuda
