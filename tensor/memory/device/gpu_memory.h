#pragma once

#include <minima/tensor/device/stream.h>
#include <minima/tensor/memory/device/device_allocator.h>

namespace minima::detail {

/// The allocator of a GPU. Throws DeviceError, naming the caller and the reason, where there is none.
device_memory::DeviceAllocator& gpu_allocator(Device device, const char* caller);
/// Keeps a storage until the stream has done what it has been given so far; `device` is the GPU whose allocator looks
/// for that.
void keep_until_reached(Device device, Storage* storage, Stream stream);
/// Calls visit(allocator) for each that has been used.
void visit_gpu_allocators(void (*visit)(device_memory::DeviceAllocator&));

}  // namespace minima::detail
