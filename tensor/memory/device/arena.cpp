#include <minima/tensor/memory/device/arena.h>

#include <minima/tensor/memory/blocks/small_memory.h>
#include <minima/tensor/memory/device/block.h>
#include <minima/tensor/memory/device/memory_driver.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>  // IWYU pragma: keep
#include <utility>
#include <vector>

namespace minima::device_memory {

namespace {

std::size_t first_page(const Block& block, std::size_t page_bytes) {
  const auto offset = static_cast<std::size_t>(block.address - block.segment->base);
  return (offset + page_bytes - 1) / page_bytes;
}

std::size_t end_page(const Block& block, std::size_t page_bytes) {
  return static_cast<std::size_t>(block.end() - block.segment->base) / page_bytes;
}

void link_unmapped(Block* block) {
  Segment& segment = *block->segment;
  block->list_previous = nullptr;
  block->list_next = segment.unmapped;
  if (segment.unmapped) segment.unmapped->list_previous = block;
  segment.unmapped = block;
}

void unlink_unmapped(Block* block) {
  if (block->list_next) block->list_next->list_previous = block->list_previous;
  (block->list_previous ? block->list_previous->list_next : block->segment->unmapped) = block->list_next;
}

}  // namespace

Block* make_block() { return new (minima::detail::small_allocate(sizeof(Block))) Block; }
void drop_block(Block* block) { minima::detail::small_free(block, sizeof(Block)); }

/// Shrinks a block to `bytes` and returns the rest as a new block. Neither is in a list.
Block* Arena::split(Block* block, std::size_t bytes) {
  Block* const rest = make_block();
  *rest = {.address = block->address + bytes,
           .bytes = block->bytes - bytes,
           .segment = block->segment,
           .previous = block,
           .next = block->next,
           .freed_at = block->freed_at,
           .state = block->state};
  if (block->next) block->next->previous = rest;
  block->next = rest;
  block->bytes = bytes;
  return rest;
}

/// Merges the next block, which must be in no list, into this one.
Block* Arena::join_with_next(Block* block) {
  Block* const next = block->next;
  block->bytes += next->bytes;
  block->freed_at = std::max(block->freed_at, next->freed_at);
  block->next = next->next;
  if (next->next) next->next->previous = block;
  drop_block(next);
  return block;
}

void Arena::become_free(Block* block) {
  block->state = BlockState::free;
  if (block->next && block->next->state == BlockState::free) {
    free.remove(block->next);
    join_with_next(block);
  }
  if (block->previous && block->previous->state == BlockState::free) {
    block = block->previous;
    free.remove(block);
    join_with_next(block);
  }
  free.insert(block);
}

void Arena::become_unmapped(Block* block) {
  block->state = BlockState::unmapped;
  if (block->next && block->next->state == BlockState::unmapped) {
    unlink_unmapped(block->next);
    join_with_next(block);
  }
  if (block->previous && block->previous->state == BlockState::unmapped) {
    block = block->previous;
    unlink_unmapped(block);
    join_with_next(block);
  }
  link_unmapped(block);
}

Block* Arena::allocate(std::size_t bytes) {
  Block* const block = free.best_fit(bytes);
  if (!block) return nullptr;
  // A segment allocated as a whole can only be returned as a whole, and small remainders of large blocks would pin it.
  const std::size_t least_rest = paged || small ? block_unit : small_block_limit;
  free.remove(block);
  if (block->bytes - bytes >= least_rest) free.insert(split(block, bytes));
  block->state = BlockState::used;
  return block;
}

void Arena::free_block(Block* block, std::uint64_t count, std::size_t page_bytes) {
  block->freed_at = count;
  if (paged) {
    Segment& segment = *block->segment;
    const auto first = static_cast<std::size_t>(block->address - segment.base) / page_bytes;
    const auto last = static_cast<std::size_t>(block->end() - 1 - segment.base) / page_bytes;
    for (std::size_t page = first; page <= last; ++page) segment.released[page] = count;
  }
  become_free(block);
}

Segment* Arena::add_segment(char* base, std::size_t bytes, std::size_t page_bytes) {
  auto* const segment = new Segment{};
  segment->arena = this;
  segment->base = base;
  segment->bytes = bytes;
  segment->paged = paged;
  Block* const block = make_block();
  *block = {.address = base, .bytes = bytes, .segment = segment};
  segment->first = block;
  if (paged) {
    segment->pages.resize(bytes / page_bytes);
    segment->released.resize(bytes / page_bytes);
    become_unmapped(block);
  } else {
    become_free(block);
  }
  segments.push_back(segment);
  return segment;
}

void Arena::remove_segment(Segment* segment) {
  Block* const block = segment->first;
  if (block->state == BlockState::free) free.remove(block);
  drop_block(block);
  segments.erase(std::find(segments.begin(), segments.end(), segment));
  delete segment;
}

Arena::Growth Arena::plan_growth(std::size_t bytes, std::size_t page_bytes) const {
  Growth best;
  for (const Segment* segment : segments)
    for (Block* hole = segment->unmapped; hole; hole = hole->list_next) {
      Block* const first = hole->previous && hole->previous->state == BlockState::free ? hole->previous : hole;
      std::size_t found = 0, pages = 0;
      for (const Block* block = first; block && block->state != BlockState::used && found < bytes;
           block = block->next) {
        const std::size_t wanted = std::min(block->bytes, bytes - found);
        if (block->state == BlockState::unmapped) pages += (wanted + page_bytes - 1) / page_bytes;
        found += block->bytes;
      }
      const bool better =
          !best.first || pages < best.pages || (pages == best.pages && first->address < best.first->address);
      if (found >= bytes && better) best = {first, pages};
    }
  return best;
}

bool Arena::grow(const Growth& growth, std::vector<Page>& pages, std::size_t page_bytes, MemoryDriver& driver) {
  std::size_t missing = growth.pages;
  for (Block* block = growth.first; missing > 0; block = block->next) {
    if (block->state != BlockState::unmapped) continue;
    const std::size_t count = std::min(block->bytes / page_bytes, missing);
    const auto taken = pages.end() - static_cast<std::ptrdiff_t>(count);
    if (!driver.map(block->address, &*taken, count)) return false;
    unlink_unmapped(block);
    if (count * page_bytes < block->bytes) link_unmapped(split(block, count * page_bytes));
    // Harvested pages are past their last use.
    std::fill_n(block->segment->released.begin() + static_cast<std::ptrdiff_t>(first_page(*block, page_bytes)), count,
                0);
    std::copy(taken, pages.end(),
              block->segment->pages.begin() + static_cast<std::ptrdiff_t>(first_page(*block, page_bytes)));
    pages.erase(taken, pages.end());
    missing -= count;
    block->freed_at = 0;
    Block* const before = block->previous;
    const bool joins = before && before->state == BlockState::free;
    become_free(block);
    if (joins) block = before;
  }
  return true;
}

/// Unmaps pages [first, end) of a free block and appends them to `pages`. Returns the free block before them, or null.
Block* Arena::take_pages(Block* block, std::size_t first, std::size_t end, std::size_t page_bytes, MemoryDriver& driver,
                         std::vector<Page>& pages) {
  Segment& segment = *block->segment;
  Block* left = nullptr;
  free.remove(block);
  if (char* const cut = segment.base + end * page_bytes; cut < block->end())
    free.insert(split(block, static_cast<std::size_t>(cut - block->address)));
  if (char* const cut = segment.base + first * page_bytes; cut > block->address) {
    left = block;
    block = split(left, static_cast<std::size_t>(cut - left->address));
    free.insert(left);
  }
  pages.reserve(pages.size() + end - first);
  std::size_t page = first;
  try {
    for (; page < end; ++page) {
      driver.unmap(segment.base + page * page_bytes, 1);
      pages.push_back(std::exchange(segment.pages[page], 0));
    }
  } catch (...) {
    Block* const rest = page > first ? split(block, (page - first) * page_bytes) : block;
    if (rest != block) become_unmapped(block);
    become_free(rest);
    throw;
  }
  become_unmapped(block);
  return left;
}

void Arena::harvest(Block* block, std::uint64_t reached, std::size_t most, std::size_t page_bytes, MemoryDriver& driver,
                    std::vector<Page>& pages) {
  const Segment& segment = *block->segment;
  const std::size_t first = first_page(*block, page_bytes);
  std::size_t end = end_page(*block, page_bytes);
  while (block && most > 0 && end > first) {
    if (segment.released[end - 1] > reached) {
      --end;
      continue;
    }
    std::size_t begin = end - 1;
    while (begin > first && end - begin < most && segment.released[begin - 1] <= reached) --begin;
    most -= end - begin;
    block = take_pages(block, begin, end, page_bytes, driver, pages);
    end = begin;
  }
}

}  // namespace minima::device_memory
