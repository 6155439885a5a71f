#pragma once

#include <minima/tensor/device/stream.h>
#include <minima/tensor/memory/device/device_allocator.h>

namespace minima::detail {

/// The allocator of a GPU. Throws DeviceError, naming the caller and the reason, if there is no such GPU.
device_memory::DeviceAllocator& gpu_allocator(Device device, const char* caller);
/// Keeps a storage alive until the stream has finished all work submitted so far. The allocator of `device` holds it.
void keep_until_reached(Device device, Storage* storage, Stream stream);
/// Calls visit(allocator) for the allocators of all GPUs used so far.
void visit_gpu_allocators(void (*visit)(device_memory::DeviceAllocator&));
/// Throws an Error about a write outside a storage in pinned memory, if debug mode has found one.
void check_pinned_memory();

}  // namespace minima::detail
