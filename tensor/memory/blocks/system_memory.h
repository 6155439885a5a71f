#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

// The allocator's only way to the operating system: whole mappings and single blocks, all counted as reserved and held
// below the memory that the process may use.

namespace minima::detail {

/// Where storages come from. Decided at first use: MINIMA_DEBUG_MEMORY=1 means debug, MINIMA_NO_CACHE=1 direct, and a
/// build with AddressSanitizer is direct unless MINIMA_NO_CACHE=0, because it can only see what reaches malloc.
enum class MemoryMode : std::uint8_t { undecided, cached, direct, debug };

extern constinit std::atomic<MemoryMode> storage_mode;
extern constinit std::atomic<MemoryMode> object_mode;  ///< of small_allocate: never debug, never changes once decided

inline MemoryMode load(const std::atomic<MemoryMode>& mode) { return mode.load(std::memory_order_relaxed); }
/// Reads the environment once. Throws ValueError for a variable that is neither 0 nor 1.
void decide_memory_mode();

/// Anonymous pages at an alignment (a power of two ≥ 4096), nullptr if there are none or the limit is reached.
void* map_pages(std::size_t bytes, std::size_t alignment, bool huge) noexcept;
void unmap_pages(void* pages, std::size_t bytes) noexcept;
/// A block of malloc's aligned to 64, nullptr likewise.
void* allocate_block(std::size_t bytes) noexcept;
void free_block(void* block, std::size_t bytes) noexcept;

struct ReservedBytes {
  std::int64_t now, peak, system_allocations;
};
ReservedBytes reserved_bytes();
void reset_reserved_peak();

/// The smaller of the machine's memory with swap and the control group's limit, unless set.
std::int64_t memory_limit();
/// 0 restores the default.
void limit_memory(std::int64_t bytes);

/// `1.50 GiB`, `512 B`
std::string bytes_text(std::int64_t bytes);

}  // namespace minima::detail
