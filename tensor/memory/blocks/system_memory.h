#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

// The allocator's only access to the operating system: page mappings and single blocks. All of it counts as reserved
// and is kept below the memory limit.

namespace minima::detail {

/// How storages are allocated, decided at first use: MINIMA_DEBUG_MEMORY=1 selects debug, MINIMA_NO_CACHE=1 direct.
/// Builds with AddressSanitizer, which sees only malloc, default to direct; MINIMA_NO_CACHE=0 overrides that.
enum class MemoryMode : std::uint8_t { undecided, cached, direct, debug };

extern constinit std::atomic<MemoryMode> storage_mode;
extern constinit std::atomic<MemoryMode> object_mode;  ///< for small_allocate; never debug, fixed once decided

inline MemoryMode load(const std::atomic<MemoryMode>& mode) { return mode.load(std::memory_order_relaxed); }
/// Reads the environment. Throws ValueError for a variable that is neither 0 nor 1.
void decide_memory_mode();

/// Maps anonymous pages aligned to a power of two ≥ 4096. Returns null if there is no memory or the limit is reached.
void* map_pages(std::size_t bytes, std::size_t alignment, bool huge) noexcept;
void unmap_pages(void* pages, std::size_t bytes) noexcept;
/// A block from malloc, aligned to 64 bytes; null as above.
void* allocate_block(std::size_t bytes) noexcept;
void free_block(void* block, std::size_t bytes) noexcept;

struct ReservedBytes {
  std::int64_t now, peak, system_allocations;
};
ReservedBytes reserved_bytes();
void reset_reserved_peak();

/// The memory that the process's control group may use; the largest int64 without a limit.
std::int64_t control_group_memory();
/// The limit set by `limit_memory`, by default the smaller of the machine's memory and swap and the control group's
/// limit.
std::int64_t memory_limit();
/// 0 restores the default.
void limit_memory(std::int64_t bytes);

/// `1.50 GiB`, `512 B`
std::string bytes_text(std::int64_t bytes);

}  // namespace minima::detail
