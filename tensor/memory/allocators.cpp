#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/blocks/large_memory.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/blocks/system_memory.h>
#include <minima/tensor/memory/blocks/thread_memory.h>
#include <minima/tensor/memory/cpu/cpu_allocator.h>
#include <minima/tensor/memory/device/gpu_memory.h>
#include <minima/tensor/storage/allocator.h>

#include <cstddef>
#include <cstdint>

// Dispatches requests to the memory of their device.

namespace minima {

MemoryStats memory_stats(Device device) {
  if (device.is_cuda()) return detail::gpu_allocator(device, "memory_stats").memory().stats();
  return detail::cpu_memory_stats();
}

void reset_peak(Device device) {
  if (device.is_cuda()) return detail::gpu_allocator(device, "reset_peak").memory().reset_peak();
  detail::reset_counted_peak();
  detail::reset_reserved_peak();
}

void empty_cache(Device device) {
  if (device.is_cuda()) return detail::gpu_allocator(device, "empty_cache").memory().empty();
  detail::release_idle_large();
  detail::trim_small_blocks();
}

void set_memory_limit(std::int64_t bytes, Device device) {
  if (bytes < 0)
    throw ValueError(str("set_memory_limit: ", bytes, " bytes; expected a positive number, or 0 for the default"));
  if (device.is_cuda())
    return detail::gpu_allocator(device, "set_memory_limit").memory().set_limit(static_cast<std::size_t>(bytes));
  detail::limit_memory(bytes);
}

void check_memory() {
  detail::check_cpu_memory();
  detail::visit_gpu_allocators([](device_memory::DeviceAllocator& allocator) { allocator.throw_damage(); });
  detail::check_pinned_memory();
}

}  // namespace minima
