#include <minima/tensor/memory/device/device_allocator.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/blocks/system_memory.h>
#include <minima/tensor/memory/device/memory_driver.h>
#include <minima/tensor/memory/device/snapshot.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace minima::device_memory {

namespace {

/// The advice that most often helps, based on the numbers.
std::string advice(std::int64_t asked, std::int64_t room, const MemoryStats& stats, const CachingStats& caching,
                   std::int64_t others) {
  const auto used = [&](Purpose purpose) { return stats.allocated_by[static_cast<int>(purpose)]; };
  if (asked > room) return "this tensor alone is larger than the memory; check its shape";
  if (stats.allocated + asked <= room / 2 && others > room / 2)
    return "other processes use most of the memory; end them or use another GPU";
  if (stats.reserved - stats.allocated >= asked && caching.held > 0)
    return str("enough memory is free but still in use by other streams (", caching.held,
               " storages held); synchronize earlier");
  if (stats.reserved - stats.allocated >= asked)
    return "enough memory is free but fragmented; allocate long-lived tensors, such as the model, first";
  if (used(Purpose::activations) + used(Purpose::temporaries) >= stats.allocated / 2) return "use a smaller batch";
  if (used(Purpose::dataset) >= stats.allocated / 2) return "keep the data set in CPU memory";
  return "use a smaller model or an optimizer with less state";
}

}  // namespace

std::string out_of_memory_text(Device device, std::size_t bytes, MemoryDriver::Memory memory, std::size_t limit,
                               const MemoryStats& stats, const CachingStats& caching) {
  using minima::detail::bytes_text;
  const auto total = static_cast<std::int64_t>(memory.total), free = static_cast<std::int64_t>(memory.free);
  const std::int64_t room = limit > 0 ? std::min(total, static_cast<std::int64_t>(limit)) : total;
  const std::int64_t others = std::max<std::int64_t>(0, total - free - stats.reserved);
  const std::int64_t asked = bytes < std::size_t{1} << 62 ? static_cast<std::int64_t>(bytes) : INT64_MAX;
  std::string uses;
  for (int i = 0; i < purpose_count; ++i)
    if (stats.allocated_by[i] > 0)
      uses += str(uses.empty() ? " (" : ", ", name(static_cast<Purpose>(i)), " ", bytes_text(stats.allocated_by[i]));
  if (!uses.empty()) uses += ")";
  return str("out of memory on ", device, ": asked for ", asked == INT64_MAX ? str(bytes, " bytes") : bytes_text(asked),
             "; capacity ", bytes_text(total), limit > 0 ? str(" of which ", bytes_text(room), " may be used") : "",
             ", free ", bytes_text(free), ", other processes and CUDA itself ", bytes_text(others), "; ours ",
             bytes_text(stats.allocated), uses, ", peak ", bytes_text(stats.peak_allocated), "; reserved but unused ",
             bytes_text(stats.reserved - stats.allocated), ", largest free block ", bytes_text(caching.largest_free),
             "; ", advice(asked, room, stats, caching, others));
}

}  // namespace minima::device_memory
