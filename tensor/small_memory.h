#pragma once

#include <minima/tensor/api.h>

#include <cstddef>

// Memory for the library's own small objects (tensor handles' bodies, graph nodes): thread-local free lists by size,
// a few nanoseconds per call. A block may be freed by another thread than the one that took it.

namespace minima::detail {

MINIMA_API void* small_allocate(std::size_t bytes);
MINIMA_API void small_free(void* block, std::size_t bytes) noexcept;

}  // namespace minima::detail
