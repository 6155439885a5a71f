#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/memory/blocks/size_class.h>

#include <cstddef>

// Memory for the library's small objects, such as tensor bodies and graph nodes: thread-local free lists by size, a few
// nanoseconds per call. Any thread may free a block.

namespace minima::detail {

MINIMA_API void* small_allocate_class(int size_class, std::size_t bytes);
MINIMA_API void small_free_class(void* block, int size_class) noexcept;

/// Objects use the same blocks as storages; size classes do not count the 64-byte header.
constexpr int object_class(std::size_t bytes) { return size_class(bytes <= header_bytes ? 0 : bytes - header_bytes); }

// Inline, because the size is a compile-time constant at every call, and then so is the class.
[[gnu::always_inline]] inline void* small_allocate(std::size_t bytes) {
  return small_allocate_class(object_class(bytes), bytes);
}
[[gnu::always_inline]] inline void small_free(void* block, std::size_t bytes) noexcept {
  small_free_class(block, object_class(bytes));
}

}  // namespace minima::detail
