#pragma once

#include <minima/tensor/memory/blocks/thread_memory.h>

// The process-wide store of small blocks. Threads exchange whole magazines with it; it carves new blocks from chunks of
// pages.

namespace minima::detail {

struct Magazine {
  FreeBlock* top;
  std::uint32_t count;
};

/// A stored magazine, or one of new blocks. Throws OutOfMemoryError.
Magazine load_magazine(int size_class);
void store_magazine(int size_class, FreeBlock* top, std::uint32_t count) noexcept;

/// Unmaps the chunks whose blocks are all in the store.
void trim_block_store() noexcept;

void lock_block_store();
void unlock_block_store();

}  // namespace minima::detail
