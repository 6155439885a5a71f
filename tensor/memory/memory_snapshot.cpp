#include <minima/tensor/memory/memory_snapshot.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/blocks/system_memory.h>
#include <minima/tensor/memory/device/gpu_memory.h>
#include <minima/tensor/memory/device/snapshot.h>
#include <minima/tensor/storage/allocator.h>

#include <cstddef>

namespace minima {

MemorySnapshot memory_snapshot(Device device) {
  if (device.is_cpu()) throw DeviceError("memory_snapshot: the CPU allocator has no segments; pass a GPU");
  MemorySnapshot snapshot = detail::gpu_allocator(device, "memory_snapshot").memory().snapshot();
  snapshot.device = device;
  return snapshot;
}

CachingStats caching_stats(Device device) {
  if (device.is_cpu()) throw DeviceError("caching_stats: the CPU allocator moves no pages; pass a GPU");
  return detail::gpu_allocator(device, "caching_stats").memory().caching_stats();
}

void set_memory_fraction(double fraction, Device device) {
  if (!(fraction > 0 && fraction <= 1)) throw ValueError(str("set_memory_fraction: ", fraction, " is not in (0, 1]"));
  if (device.is_cpu()) throw DeviceError("set_memory_fraction: for GPUs only; the CPU has set_memory_limit");
  auto& memory = detail::gpu_allocator(device, "set_memory_fraction").memory();
  memory.set_limit(static_cast<std::size_t>(fraction * static_cast<double>(memory.driver().memory().total)));
}

std::string memory_summary(Device device) {
  using detail::bytes_text;
  const MemoryStats stats = memory_stats(device);
  std::string text = str("memory of ", device, "\n  allocated  ", bytes_text(stats.allocated), ", peak ",
                         bytes_text(stats.peak_allocated), ", asked for ", bytes_text(stats.requested), "\n");
  for (int i = 0; i < purpose_count; ++i)
    if (stats.allocated_by[i] > 0)
      text += str("    ", name(static_cast<Purpose>(i)), "  ", bytes_text(stats.allocated_by[i]), "\n");
  text += str("  reserved   ", bytes_text(stats.reserved), ", peak ", bytes_text(stats.peak_reserved), ", unused ",
              bytes_text(stats.reserved - stats.allocated), "\n  calls      ", stats.allocations, ", of which ",
              stats.system_allocations, " reached the ", device.is_cpu() ? "operating system" : "driver", "\n");
  if (device.is_cpu()) return text;
  const CachingStats caching = caching_stats(device);
  return text + str("  pages      ", caching.pages_created, " created, ", caching.pages_destroyed, " returned, ",
                    caching.pages_moved, " moved; largest free block ", bytes_text(caching.largest_free),
                    "\n  shortage   ", caching.retries, " times, ", caching.synchronizations, " waits for the device, ",
                    caching.out_of_memory, " failures\n");
}

}  // namespace minima
