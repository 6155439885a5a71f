#include <minima/tensor/small_memory.h>

#include <minima/tensor/large_memory.h>
#include <minima/tensor/system_memory.h>
#include <minima/tensor/thread_memory.h>

#include <cstdlib>

namespace minima::detail {

namespace {

constexpr std::size_t object_limit = small_limit + header_bytes;

/// Objects share the storages' blocks, whose first 64 bytes the classes do not count.
int object_class(std::size_t bytes) {
  return size_class(bytes <= header_bytes ? 0 : bytes - header_bytes);
}

[[gnu::noinline]] void* allocate_otherwise(std::size_t bytes) {
  if (load(object_mode) == MemoryMode::undecided) decide_memory_mode();
  if (bytes <= object_limit && load(object_mode) == MemoryMode::cached)
    return take(this_thread_memory(), object_class(bytes));
  void* const block = std::malloc(bytes);
  if (!block) throw_out_of_memory(bytes);
  return block;
}

}  // namespace

void* small_allocate(std::size_t bytes) {
  ThreadMemory* const thread = thread_memory;
  if (bytes > object_limit || !thread || load(object_mode) != MemoryMode::cached) [[unlikely]]
    return allocate_otherwise(bytes);
  return take(*thread, object_class(bytes));
}

void small_free(void* block, std::size_t bytes) noexcept {
  if (bytes > object_limit || load(object_mode) != MemoryMode::cached) [[unlikely]]
    std::free(block);
  else if (block)
    give(this_thread_memory(), object_class(bytes), block);
}

}  // namespace minima::detail
