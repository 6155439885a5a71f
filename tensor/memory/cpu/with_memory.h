#pragma once

#include <minima/tensor/storage/allocator.h>

#include <new>

namespace minima::detail {

/// OutOfMemoryError with the usual account of memory, for something else than a storage of ours.
[[noreturn]] MINIMA_API void throw_out_of_memory(const char* what);

/// f(), which calls a library that allocates its own memory, and may be called again from the start. Where there is
/// none, our caches are emptied and f is called once more; then OutOfMemoryError names `what`.
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
