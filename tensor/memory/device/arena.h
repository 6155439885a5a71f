#pragma once

#include <minima/tensor/memory/device/free_lists.h>

#include <vector>

namespace minima::device_memory {

/// The blocks of one stream and one class of sizes: a block freed in stream order can be reused at once. Manages blocks
/// and addresses; the caller supplies the memory.
struct Arena {
  StreamMemory* stream = nullptr;
  bool small = false;  ///< up to small_block_limit
  bool paged = false;  ///< its segments are filled with pages as needed
  bool graph = false;  ///< belongs to a private pool, whose addresses must keep their memory
  FreeLists free;
  std::vector<Segment*> segments;

  /// Allocates at least `bytes` from the free blocks; null if none is large enough.
  Block* allocate(std::size_t bytes);
  /// Frees a block and joins it with free neighbours. `count` is the stream's number of releases, this one included.
  void free_block(Block* block, std::uint64_t count, std::size_t page_bytes);

  /// Adds a segment: a single block, unmapped if paged, otherwise free.
  Segment* add_segment(char* base, std::size_t bytes, std::size_t page_bytes);
  /// Removes a segment that is a single free or unmapped block.
  void remove_segment(Segment* segment);

  /// Where to map pages to get a free block of `bytes`: the run of free and unmapped blocks that needs the fewest.
  struct Growth {
    Block* first = nullptr;  ///< null if there is no such run
    std::size_t pages = 0;
  };
  Growth plan_growth(std::size_t bytes, std::size_t page_bytes) const;
  /// Maps the pages into the run and removes them from `pages`; afterwards there is a free block of at least `bytes`.
  /// False if the driver refused.
  bool grow(const Growth& growth, std::vector<Page>& pages, std::size_t page_bytes, MemoryDriver& driver);
  /// Unmaps up to `most` whole pages, last released at or before `reached`, from the end of a free block and appends
  /// them to `pages`, also those before a failure.
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

/// Allocate and free Block objects.
Block* make_block();
void drop_block(Block* block);

}  // namespace minima::device_memory
