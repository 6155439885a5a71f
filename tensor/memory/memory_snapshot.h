#pragma once

#include <minima/tensor/memory/device/snapshot.h>

#include <string>

namespace minima {

/// Throws DeviceError for the CPU, whose allocator has no segments.
MINIMA_API MemorySnapshot memory_snapshot(Device device);
MINIMA_API CachingStats caching_stats(Device device);
/// Allocations of this process that would take more than this part of the GPU's memory throw.
MINIMA_API void set_memory_fraction(double fraction, Device device = Device::cuda());
/// A few lines for people: what is allocated, for what, and what lies idle.
MINIMA_API std::string memory_summary(Device device = Device::cpu());

}  // namespace minima
