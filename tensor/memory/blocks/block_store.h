#pragma once

#include <minima/tensor/memory/blocks/thread_memory.h>

// The store that threads exchange whole magazines of small blocks with. It cuts blocks from chunks of pages.

namespace minima::detail {

struct Magazine {
  FreeBlock* top;
  std::uint32_t count;
};

/// A stored magazine, or one of fresh blocks. Throws OutOfMemoryError.
Magazine load_magazine(int size_class);
void store_magazine(int size_class, FreeBlock* top, std::uint32_t count) noexcept;

/// Unmaps the chunks whose blocks are all here.
void trim_block_store() noexcept;

void lock_block_store();
void unlock_block_store();

}  // namespace minima::detail
