#pragma once

#include <minima/tensor/memory/device/snapshot.h>

#include <string>

namespace minima {

/// The current segments and blocks. Throws DeviceError for the CPU, whose allocator has no segments.
MINIMA_API MemorySnapshot memory_snapshot(Device device);
MINIMA_API CachingStats caching_stats(Device device);
/// Limits this process to a fraction of the GPU's memory; allocations above it throw.
MINIMA_API void set_memory_fraction(double fraction, Device device = Device::cuda());
/// A short human-readable report: allocated memory by purpose, reserved and unused memory.
MINIMA_API std::string memory_summary(Device device = Device::cpu());

}  // namespace minima
