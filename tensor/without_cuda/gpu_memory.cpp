#include <minima/tensor/device_memory/gpu_memory.h>

#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

namespace minima::detail {

device_memory::DeviceAllocator& gpu_allocator(Device device, const char* caller) {
  throw DeviceError(str(caller, *caller ? ": " : "", device, ": ", cuda::unavailable_reason()));
}

void visit_gpu_allocators(void (*)(device_memory::DeviceAllocator&)) {}

}  // namespace minima::detail
