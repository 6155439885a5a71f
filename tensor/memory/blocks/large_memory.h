#pragma once

#include <cstddef>

// Blocks above 32 KiB of data: kept when free, by size, for the whole process. From 2 MiB on they lie on huge pages.

namespace minima::detail {

struct LargeBlock {
  void* block;           ///< 64 bytes for a header, then `capacity` bytes
  std::size_t capacity;  ///< at most a quarter more than asked for, apart from rounding
};

/// Throws OutOfMemoryError.
LargeBlock allocate_large(std::size_t data_bytes);
void free_large(void* block, std::size_t capacity) noexcept;

/// Gives all free blocks back to the system.
void release_idle_large() noexcept;
/// The same for a std::new_handler, which any code may end in: false if there were none, or if a thread is at work
/// here.
bool try_release_idle_large() noexcept;

/// The error of an allocation that failed; `bytes` may be absurd.
[[noreturn]] void throw_out_of_memory(std::size_t bytes);

void lock_large_memory();
void unlock_large_memory();

}  // namespace minima::detail
