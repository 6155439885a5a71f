#pragma once

#include <minima/tensor/memory/device/memory_driver.h>
#include <minima/tensor/storage/allocator.h>

#include <vector>

namespace minima::device_memory {

struct Arena;
struct Segment;
struct StreamMemory;

inline constexpr std::size_t block_unit = 512;             ///< all block sizes are multiples of this
inline constexpr std::size_t small_block_limit = 1 << 20;  ///< larger blocks have separate arenas

enum class BlockState : std::uint8_t {
  used,
  free,
  unmapped  ///< whole pages of addresses without memory
};

/// A range of addresses in a segment. Adjacent blocks are never both free or both unmapped.
struct Block {
  char* address = nullptr;
  std::size_t bytes = 0;
  std::size_t requested = 0;  ///< the size before rounding, while used
  Segment* segment = nullptr;
  Block* previous = nullptr;  ///< adjacent blocks by address
  Block* next = nullptr;
  Block* list_previous = nullptr;  ///< in a list of free or of unmapped blocks
  Block* list_next = nullptr;
  std::uint64_t freed_at = 0;  ///< the stream's number of releases when part of this was last freed
  BlockState state = BlockState::free;
  Purpose purpose = Purpose::activations;

  char* end() const { return address + bytes; }
};

/// A range of addresses. A paged segment reserves more addresses than the device has memory and is filled with pages as
/// needed; any other is allocated as a whole.
struct Segment {
  Arena* arena = nullptr;
  char* base = nullptr;
  std::size_t bytes = 0;
  bool paged = false;
  Block* first = nullptr;
  Block* unmapped = nullptr;  ///< list of the unmapped blocks
  // A paged segment lists, by position, the page (0 if unmapped) and the stream's number of releases when a block on
  // that page was last freed. Tracked per page, since a block freed just now would hide the age of those it is joined
  // with.
  std::vector<Page> pages;
  std::vector<std::uint64_t> released;
};

}  // namespace minima::device_memory
