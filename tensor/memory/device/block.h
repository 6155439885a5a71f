#pragma once

#include <minima/tensor/memory/device/memory_driver.h>
#include <minima/tensor/storage/allocator.h>

#include <vector>

namespace minima::device_memory {

struct Arena;
struct Segment;
struct StreamMemory;

inline constexpr std::size_t block_unit = 512;             ///< all sizes are multiples
inline constexpr std::size_t small_block_limit = 1 << 20;  ///< larger ones come from arenas of their own

enum class BlockState : std::uint8_t {
  used,
  free,
  unmapped  ///< addresses without memory; whole pages
};

/// A range of addresses in a segment. Neighbours are never both free or both unmapped.
struct Block {
  char* address = nullptr;
  std::size_t bytes = 0;
  std::size_t requested = 0;  ///< while used
  Segment* segment = nullptr;
  Block* previous = nullptr;  ///< neighbours by address
  Block* next = nullptr;
  Block* list_previous = nullptr;  ///< in a list of free blocks, or of unmapped ones
  Block* list_next = nullptr;
  std::uint64_t freed_at = 0;  ///< the stream's count of releases at the last one of a part of this
  BlockState state = BlockState::free;
  Purpose purpose = Purpose::activations;

  char* end() const { return address + bytes; }
};

/// Consecutive addresses. A paged one is reserved for more than the device has and filled with pages as needed; another
/// was allocated as a whole.
struct Segment {
  Arena* arena = nullptr;
  char* base = nullptr;
  std::size_t bytes = 0;
  bool paged = false;
  Block* first = nullptr;
  Block* unmapped = nullptr;  ///< list of the unmapped blocks
  // Of a paged one, by position: the page, 0 where there is none, and the stream's count of releases at the last one of
  // a block that touched it. Kept by page, since free blocks join and one that was just released would hide the rest.
  std::vector<Page> pages;
  std::vector<std::uint64_t> released;
};

}  // namespace minima::device_memory
