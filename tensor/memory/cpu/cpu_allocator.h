#pragma once

#include <minima/tensor/memory/blocks/size_class.h>
#include <minima/tensor/storage/storage.h>

// Storages in CPU memory: header and data are one block.

namespace minima::detail {

/// Values of Storage::bookkeeping.size_class above the small classes. They tell how to free the block.
enum BlockKind : std::uint32_t { large_block = small_class_count, direct_block, debug_block };

/// The header of a block. `counted` is the rounded size that statistics count; `capacity` is the usable size, which is
/// larger if a larger block was reused.
struct CpuStorage : Storage {
  CpuStorage(void* data, std::size_t bytes, Allocator& allocator, std::size_t rounded, std::size_t room,
             std::uint32_t kind, Purpose purpose)
      : Storage(data, bytes, Device::cpu(), allocator), counted(rounded), capacity(room) {
    bookkeeping = {kind, purpose};
  }
  std::size_t counted;
  std::size_t capacity;
};
static_assert(sizeof(CpuStorage) <= header_bytes);

/// The allocator of CPU memory.
extern Allocator* const cpu_allocator;
MemoryStats cpu_memory_stats();

// debug_memory.cpp
Storage* allocate_debug(std::size_t bytes, Allocator& allocator);
void release_debug(CpuStorage& storage) noexcept;
void check_cpu_memory();

}  // namespace minima::detail
