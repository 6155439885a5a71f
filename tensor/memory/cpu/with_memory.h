#pragma once

#include <minima/tensor/storage/allocator.h>

#include <new>

namespace minima::detail {

/// Throws OutOfMemoryError with the usual report, for memory other than a storage.
[[noreturn]] MINIMA_API void throw_out_of_memory(const char* what);

/// Calls f, which uses a library that allocates its own memory. On std::bad_alloc, empties minima's caches and calls f
/// again from the start; if that fails too, throws an OutOfMemoryError naming `what`.
template <class F>
decltype(auto) with_memory(const char* what, F&& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    empty_cache();
  }
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw_out_of_memory(what);
  }
}

}  // namespace minima::detail
