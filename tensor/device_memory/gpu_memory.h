#pragma once

#include <minima/tensor/device_memory/device_allocator.h>

namespace minima::detail {

/// The allocator of a GPU. Throws DeviceError, naming the caller and the reason, where there is none.
device_memory::DeviceAllocator& gpu_allocator(Device device, const char* caller);
/// Calls visit(allocator) for each that has been used.
void visit_gpu_allocators(void (*visit)(device_memory::DeviceAllocator&));

}  // namespace minima::detail
