#include <minima/tensor/memory/device/gpu_memory.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/cuda_memory_driver.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/architectures.h>
#include <minima/tensor/memory/device/caching_memory.h>
#include <minima/tensor/memory/device/device_allocator.h>

#include <mutex>

namespace minima::detail {

namespace {

using device_memory::DeviceAllocator;
using device_memory::StreamMemory;

/// Created at first use and never destroyed, since storages may outlive static objects.
constinit DeviceAllocator* allocators[max_devices] = {};
constinit std::mutex making;

StreamMemory& current_memory(DeviceAllocator& allocator) {
  StreamState* const state = current_stream_state(allocator.device().index);
  void* memory = __atomic_load_n(&state->memory, __ATOMIC_ACQUIRE);
  if (!memory) [[unlikely]] {
    memory = &allocator.memory().stream(state);
    __atomic_store_n(&state->memory, memory, __ATOMIC_RELEASE);
  }
  return *static_cast<StreamMemory*>(memory);
}

DeviceAllocator& make(Device device, const char* caller) {
  try {
    const cuda::DeviceProperties& gpu = cuda::properties(device.index);
    cuda::expect_kernels(device, gpu.name, gpu.major, gpu.minor, cuda::architectures());
  } catch (const DeviceError& error) {
    throw DeviceError(str(caller, *caller ? ": " : "", error.what()));
  }
  const std::lock_guard lock(making);
  DeviceAllocator*& allocator = allocators[device.index];
  if (!allocator) {
    auto* const driver = new cuda::CudaMemoryDriver(device.index);
    __atomic_store_n(&allocator, new DeviceAllocator(device, *driver, current_memory), __ATOMIC_RELEASE);
  }
  return *allocator;
}

}  // namespace

DeviceAllocator& gpu_allocator(Device device, const char* caller) {
  if (device.index >= 0 && device.index < max_devices)
    if (DeviceAllocator* const allocator = __atomic_load_n(&allocators[device.index], __ATOMIC_ACQUIRE))
      return *allocator;
  return make(device, caller);
}

void visit_gpu_allocators(void (*visit)(DeviceAllocator&)) {
  for (DeviceAllocator*& slot : allocators)
    if (DeviceAllocator* const allocator = __atomic_load_n(&slot, __ATOMIC_ACQUIRE)) visit(*allocator);
}

}  // namespace minima::detail
