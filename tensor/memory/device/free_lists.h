#pragma once

#include <minima/tensor/memory/device/block.h>

// Free blocks by size, for best fit without a tree (two-level segregated fit: Masmano et al., "TLSF: a new dynamic
// memory allocator for real-time systems", 2004): one list per size for small blocks, 32 lists per power of two above,
// and a bitmap of the lists that are not empty. Lists are sorted by size and address.

namespace minima::device_memory {

class FreeLists {
 public:
  void insert(Block* block);
  void remove(Block* block);
  /// The smallest block of at least `bytes`, at the lowest address if there are several; null if there is none.
  Block* best_fit(std::size_t bytes) const;
  /// A block of the largest size; null if there is none.
  Block* largest() const;

  /// Calls visit(block) for blocks of at least `bytes`, by descending list, until visit returns false. `visit` may
  /// remove the block and insert smaller ones.
  template <class Visit>
  void for_each_at_least(std::size_t bytes, const Visit& visit) const {
    const int last = list_of(bytes);
    for (int list = list_count - 1; list >= last; --list)
      for (Block *block = first_[list], *next; block; block = next) {
        next = block->list_next;
        if (block->bytes >= bytes && !visit(block)) return;
      }
  }

 private:
  static constexpr int steps = 32;  ///< lists per power of two
  static constexpr int list_count = 32 * steps;
  static int list_of(std::size_t bytes);

  Block* first_[list_count] = {};
  std::uint64_t filled_[list_count / 64] = {};
};

}  // namespace minima::device_memory
