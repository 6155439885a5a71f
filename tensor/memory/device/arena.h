#pragma once

#include <minima/tensor/memory/device/free_lists.h>

#include <vector>

namespace minima::device_memory {

/// Blocks for one stream and one class of sizes, so that a block freed in stream order can be given out again at once.
/// Knows blocks and addresses; where memory comes from is its caller's business.
struct Arena {
  StreamMemory* stream = nullptr;
  bool small = false;  ///< up to small_block_limit
  bool paged = false;  ///< has one segment whose addresses are filled with pages
  bool graph = false;  ///< of a private pool: its addresses must keep their memory
  FreeLists free;
  std::vector<Segment*> segments;

  /// A used block of at least `bytes` from what is free, null if nothing is large enough.
  Block* allocate(std::size_t bytes);
  /// Takes a used block back, as the `count`th release of the stream, and joins it with free neighbours.
  void free_block(Block* block, std::uint64_t count, std::size_t page_bytes);

  /// A new segment: all of it unmapped if paged, else one free block.
  Segment* add_segment(char* base, std::size_t bytes, std::size_t page_bytes);
  /// Forgets a segment that is one free or unmapped block.
  void remove_segment(Segment* segment);

  /// Where to put pages so that a block of `bytes` comes to be: the run of free and unmapped blocks that needs fewest.
  struct Growth {
    Block* first = nullptr;  ///< null if there is no such run
    std::size_t pages = 0;
  };
  Growth plan_growth(std::size_t bytes, std::size_t page_bytes) const;
  /// Puts the pages into the run; afterwards a free block of at least `bytes` exists.
  void grow(const Growth& growth, const std::vector<Page>& pages, std::size_t page_bytes, MemoryDriver& driver);
  /// Takes up to `most` whole pages that were last released at or before `reached` out of a free block, from its end,
  /// and appends them to `pages`.
  void harvest(Block* block, std::uint64_t reached, std::size_t most, std::size_t page_bytes, MemoryDriver& driver,
               std::vector<Page>& pages);

 private:
  Block* split(Block* block, std::size_t bytes);
  Block* join_with_next(Block* block);
  void become_free(Block* block);
  void become_unmapped(Block* block);
  Block* take_pages(Block* block, std::size_t first, std::size_t end, std::size_t page_bytes, MemoryDriver& driver,
                    std::vector<Page>& pages);
};

/// Blocks themselves come from here; they are never given back to the system.
Block* make_block();
void drop_block(Block* block);

}  // namespace minima::device_memory
