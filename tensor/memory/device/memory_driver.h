#pragma once

#include <cstddef>
#include <cstdint>

// Everything that the caching allocator needs from a GPU. The tests implement it with a simulated GPU, so the policy is
// tested on any machine.

namespace minima::device_memory {

/// A handle to page_bytes() of physical memory; 0 is none.
using Page = std::uint64_t;
/// A point in a stream's work; 0 is none.
using Mark = std::uint64_t;
/// An opaque name of a stream.
using StreamToken = const void*;

class MemoryDriver {
 public:
  struct Memory {
    std::size_t free, total;
  };
  /// The device's memory as all processes share it.
  virtual Memory memory() = 0;

  // Virtual memory: addresses and pages are managed separately. If unsupported, page_bytes() is 0 and the functions up
  // to unmap() are not called.
  virtual std::size_t page_bytes() = 0;
  /// Reserves addresses without memory; null if there are none left.
  virtual char* reserve(std::size_t bytes) = 0;
  virtual void unreserve(char* address, std::size_t bytes) = 0;
  /// Returns 0 if the memory is exhausted.
  virtual Page create_page() = 0;
  virtual void destroy_page(Page page) = 0;
  /// Maps `count` pages to consecutive addresses. If it returns false, for want of memory, or throws, nothing is
  /// mapped.
  virtual bool map(char* address, const Page* pages, std::size_t count) = 0;
  /// Unmaps pages without destroying them. No work on the device may be using them.
  virtual void unmap(char* address, std::size_t count) = 0;

  /// Allocates addresses with memory; null if it is exhausted.
  virtual char* allocate(std::size_t bytes) = 0;
  virtual void free(char* address) = 0;

  /// Records a mark after all work submitted to the stream so far.
  virtual Mark record(StreamToken stream) = 0;
  /// True if the device has passed the mark, which is then destroyed.
  virtual bool reached(Mark mark) = 0;
  /// Blocks until all streams of the device are idle.
  virtual void synchronize() = 0;
  /// True after an unrecoverable device error; memory is then no longer freed.
  virtual bool is_lost() noexcept { return false; }

  // For the debug mode.
  /// Sets all bytes to `value`, in stream order.
  virtual void fill(StreamToken stream, char* address, std::size_t bytes, unsigned char value) = 0;
  /// The index of the first byte that is not `value`, or -1. Blocks until the stream is done.
  virtual std::int64_t find_foreign(StreamToken stream, const char* address, std::size_t bytes,
                                    unsigned char value) = 0;

 protected:
  ~MemoryDriver() = default;
};

}  // namespace minima::device_memory
