#include <minima/tensor/memory/device/free_lists.h>

#include <minima/tensor/memory/device/block.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace minima::device_memory {

int FreeLists::list_of(std::size_t bytes) {
  const std::size_t units = bytes / block_unit;
  if (units < 2 * steps) return static_cast<int>(units);
  const int shift = std::bit_width(units) - std::bit_width(static_cast<std::size_t>(steps));
  return std::min(list_count - 1, steps * shift + static_cast<int>(units >> shift));
}

void FreeLists::insert(Block* block) {
  const int list = list_of(block->bytes);
  Block* before = nullptr;
  Block* after = first_[list];
  const auto comes_first = [](const Block* a, const Block* b) {
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->address < b->address;
  };
  while (after && comes_first(after, block)) {
    before = after;
    after = after->list_next;
  }
  block->list_previous = before;
  block->list_next = after;
  if (after) after->list_previous = block;
  if (before) before->list_next = block;
  else first_[list] = block;
  filled_[list / 64] |= std::uint64_t{1} << (list % 64);
}

void FreeLists::remove(Block* block) {
  if (block->list_next) block->list_next->list_previous = block->list_previous;
  if (block->list_previous) {
    block->list_previous->list_next = block->list_next;
    return;
  }
  const int list = list_of(block->bytes);
  first_[list] = block->list_next;
  if (!block->list_next) filled_[list / 64] &= ~(std::uint64_t{1} << (list % 64));
}

Block* FreeLists::best_fit(std::size_t bytes) const {
  const int list = list_of(bytes);
  for (Block* block = first_[list]; block; block = block->list_next)
    if (block->bytes >= bytes) return block;
  // Every block in a later list is large enough, and each list starts with its smallest block.
  int word = (list + 1) / 64;
  if (word >= list_count / 64) return nullptr;
  std::uint64_t bits = filled_[word] & (~std::uint64_t{0} << ((list + 1) % 64));
  while (bits == 0) {
    if (++word == list_count / 64) return nullptr;
    bits = filled_[word];
  }
  return first_[64 * word + std::countr_zero(bits)];
}

Block* FreeLists::largest() const {
  for (int word = list_count / 64 - 1; word >= 0; --word)
    if (filled_[word]) {
      Block* block = first_[64 * word + 63 - std::countl_zero(filled_[word])];
      while (block->list_next) block = block->list_next;
      return block;
    }
  return nullptr;
}

}  // namespace minima::device_memory
