#include <minima/tensor/memory/blocks/block_store.h>

#include <minima/tensor/memory/blocks/large_memory.h>
#include <minima/tensor/memory/blocks/size_class.h>
#include <minima/tensor/memory/blocks/system_memory.h>
#include <minima/tensor/memory/blocks/thread_memory.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>  // IWYU pragma: keep
#include <utility>

namespace minima::detail {

namespace {

/// The header of a chunk. Chunks are aligned to their size, so a block's address gives its chunk.
struct Chunk {
  Chunk* next;
  std::uint32_t cut;   ///< blocks carved out so far
  std::uint32_t free;  ///< free blocks, counted while trimming
};
static_assert(sizeof(Chunk) <= 64);

struct Shelf {
  FreeBlock* magazines = nullptr;
  Chunk* chunks = nullptr;  ///< new blocks are carved from the first
};

constinit std::mutex store_lock;
constinit Shelf shelves[small_class_count];

constexpr std::size_t block_bytes(int size_class) { return header_bytes + class_bytes(size_class); }
constexpr std::size_t chunk_bytes(int size_class) {
  return std::size_t{class_bytes(size_class) <= 4096 ? 256u : 1024u} << 10;
}
constexpr std::uint32_t chunk_blocks(int size_class) {
  return static_cast<std::uint32_t>((chunk_bytes(size_class) - 64) / block_bytes(size_class));
}

Chunk* chunk_of(const void* block, int size_class) {
  return reinterpret_cast<Chunk*>(reinterpret_cast<std::uintptr_t>(block) & ~(chunk_bytes(size_class) - 1));
}

void put(Shelf& shelf, FreeBlock* top, std::uint32_t count) {
  top->count = count;
  top->next_magazine = shelf.magazines;
  shelf.magazines = top;
}

/// Carves up to a magazine of new blocks from a chunk that has some left.
Magazine cut_blocks(Chunk& chunk, int size_class) {
  Magazine result{nullptr, 0};
  const std::uint32_t end = std::min(chunk.cut + magazine_blocks(size_class), chunk_blocks(size_class));
  result.count = end - chunk.cut;
  // Backwards, so that the list starts at the lowest address.
  for (std::uint32_t i = end; i-- > chunk.cut;) {
    auto* const block =
        reinterpret_cast<FreeBlock*>(reinterpret_cast<char*>(&chunk) + 64 + i * block_bytes(size_class));
    block->next = result.top;
    result.top = block;
  }
  chunk.cut = end;
  return result;
}

/// Unmaps the chunks whose blocks are all free; keeps the free blocks of the others.
void trim(Shelf& shelf, int size_class) noexcept {
  for (Chunk* chunk = shelf.chunks; chunk; chunk = chunk->next) chunk->free = 0;
  for (FreeBlock* magazine = shelf.magazines; magazine; magazine = magazine->next_magazine)
    for (FreeBlock* block = magazine; block; block = block->next) ++chunk_of(block, size_class)->free;

  FreeBlock* magazine = std::exchange(shelf.magazines, nullptr);
  FreeBlock* kept = nullptr;
  std::uint32_t count = 0;
  while (magazine) {
    FreeBlock* const next_magazine = magazine->next_magazine;
    for (FreeBlock *block = magazine, *next; block; block = next) {
      next = block->next;
      const Chunk& chunk = *chunk_of(block, size_class);
      if (chunk.free == chunk.cut) continue;
      block->next = kept;
      kept = block;
      if (++count == magazine_blocks(size_class)) {
        put(shelf, std::exchange(kept, nullptr), count);
        count = 0;
      }
    }
    magazine = next_magazine;
  }
  if (kept) put(shelf, kept, count);

  Chunk** link = &shelf.chunks;
  while (Chunk* const chunk = *link) {
    if (chunk->free == chunk->cut) {
      *link = chunk->next;
      unmap_pages(chunk, chunk_bytes(size_class));
    } else {
      link = &chunk->next;
    }
  }
}

}  // namespace

Magazine load_magazine(int size_class) {
  {
    const std::lock_guard lock(store_lock);
    Shelf& shelf = shelves[size_class];
    if (FreeBlock* const top = shelf.magazines) {
      shelf.magazines = top->next_magazine;
      return {top, top->count};
    }
    if (shelf.chunks && shelf.chunks->cut < chunk_blocks(size_class)) return cut_blocks(*shelf.chunks, size_class);
  }
  const std::size_t bytes = chunk_bytes(size_class);
  void* pages = map_pages(bytes, bytes, false);
  if (!pages) {
    trim_block_store();
    release_idle_large();
    pages = map_pages(bytes, bytes, false);
    if (!pages) throw_out_of_memory(class_bytes(size_class));
  }
  auto* const chunk = new (pages) Chunk{nullptr, 0, 0};
  const Magazine fresh = cut_blocks(*chunk, size_class);
  const std::lock_guard lock(store_lock);
  // Another thread may have added a chunk meanwhile; the one with more blocks left goes first.
  Shelf& shelf = shelves[size_class];
  Chunk** link = shelf.chunks && shelf.chunks->cut <= chunk->cut ? &shelf.chunks->next : &shelf.chunks;
  chunk->next = *link;
  *link = chunk;
  return fresh;
}

void store_magazine(int size_class, FreeBlock* top, std::uint32_t count) noexcept {
  const std::lock_guard lock(store_lock);
  put(shelves[size_class], top, count);
}

void trim_block_store() noexcept {
  const std::lock_guard lock(store_lock);
  for (int i = 0; i < small_class_count; ++i) trim(shelves[i], i);
}

void lock_block_store() { store_lock.lock(); }
void unlock_block_store() { store_lock.unlock(); }

}  // namespace minima::detail
