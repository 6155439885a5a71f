#include <minima/tensor/memory/blocks/small_memory.h>

#include <minima/tensor/memory/blocks/large_memory.h>
#include <minima/tensor/memory/blocks/size_class.h>
#include <minima/tensor/memory/blocks/system_memory.h>
#include <minima/tensor/memory/blocks/thread_memory.h>

#include <cstdlib>

namespace minima::detail {

namespace {

[[gnu::noinline]] void* allocate_slow(int size_class, std::size_t bytes) {
  if (load(object_mode) == MemoryMode::undecided) decide_memory_mode();
  if (size_class < small_class_count && load(object_mode) == MemoryMode::cached)
    return allocate_small(this_thread_memory(), size_class);
  void* const block = std::malloc(bytes);
  if (!block) throw_out_of_memory(bytes);
  return block;
}

}  // namespace

void* small_allocate_class(int size_class, std::size_t bytes) {
  ThreadMemory* const thread = thread_memory;
  if (!thread || size_class >= small_class_count || load(object_mode) != MemoryMode::cached) [[unlikely]]
    return allocate_slow(size_class, bytes);
  return allocate_small(*thread, size_class);
}

void small_free_class(void* block, int size_class) noexcept {
  if (size_class >= small_class_count || load(object_mode) != MemoryMode::cached) [[unlikely]]
    std::free(block);
  else if (block) free_small(this_thread_memory(), size_class, block);
}

}  // namespace minima::detail
