#pragma once

#include <cstddef>

// Blocks of more than 32 KiB. Free ones are cached by size for the whole process. Blocks of 2 MiB and more use huge
// pages.

namespace minima::detail {

struct LargeBlock {
  void* block;  ///< a 64-byte header, then `capacity` bytes
  /// At most a quarter more than the rounded request; at most twice as much where free blocks would be returned to the
  /// system for a new one.
  std::size_t capacity;
};

/// Throws OutOfMemoryError.
LargeBlock allocate_large(std::size_t data_bytes);
void free_large(void* block, std::size_t capacity) noexcept;

/// Returns all free blocks to the system.
void release_idle_large() noexcept;
/// The same for a std::new_handler, which may run inside any code: returns false if no block was free or the lock is
/// taken.
bool try_release_idle_large() noexcept;

/// Throws the OutOfMemoryError of a failed allocation; `bytes` may be absurdly large.
[[noreturn]] void throw_out_of_memory(std::size_t bytes);

void lock_large_memory();
void unlock_large_memory();

}  // namespace minima::detail
