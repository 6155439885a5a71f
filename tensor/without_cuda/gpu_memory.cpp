#include <minima/tensor/memory/device/gpu_memory.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/memory/device/device_allocator.h>

namespace minima::detail {

device_memory::DeviceAllocator& gpu_allocator(Device device, const char* caller) {
  throw DeviceError(str(caller, *caller ? ": " : "", device, ": ", cuda::unavailable_reason()));
}

void visit_gpu_allocators(void (*)(device_memory::DeviceAllocator&)) {}
void check_pinned_memory() {}

}  // namespace minima::detail
