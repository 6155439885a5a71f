#pragma once

#include <cstddef>
#include <cstdint>

// All that the caching allocator wants from a GPU. A simulated one in the tests lets the policy be tested on any
// machine.

namespace minima::device_memory {

/// Physical memory of page_bytes(); 0 is none.
using Page = std::uint64_t;
/// A point in a stream's work; 0 is none.
using Mark = std::uint64_t;
/// Names a stream; only the driver knows what is behind it.
using StreamToken = const void*;

class MemoryDriver {
 public:
  struct Memory {
    std::size_t free, total;
  };
  /// The device's memory, seen by all its processes.
  virtual Memory memory() = 0;

  // Addresses and pages apart. Where the driver has no such thing, page_bytes() is 0 and the rest is not called.
  virtual std::size_t page_bytes() = 0;
  /// Addresses without memory behind them, null if there are none left.
  virtual char* reserve(std::size_t bytes) = 0;
  virtual void unreserve(char* address, std::size_t bytes) = 0;
  /// 0 if the memory is exhausted.
  virtual Page create_page() = 0;
  virtual void destroy_page(Page page) = 0;
  /// Puts `count` pages behind consecutive addresses.
  virtual void map(char* address, const Page* pages, std::size_t count) = 0;
  /// Takes them away; the pages live on. Nothing on the device may be using them.
  virtual void unmap(char* address, std::size_t count) = 0;

  /// Addresses with memory, null if it is exhausted.
  virtual char* allocate(std::size_t bytes) = 0;
  virtual void free(char* address) = 0;

  /// A mark after all work that the stream has been given.
  virtual Mark record(StreamToken stream) = 0;
  /// True, and the mark is gone, if the device has passed it.
  virtual bool reached(Mark mark) = 0;
  /// Waits for all streams of the device.
  virtual void synchronize() = 0;
  /// True after an error from which the device does not recover; nothing is then given back to it.
  virtual bool is_lost() noexcept { return false; }

  // For the debug mode.
  /// In the stream's order: all bytes become `value`.
  virtual void fill(StreamToken stream, char* address, std::size_t bytes, unsigned char value) = 0;
  /// The index of the first byte that is not `value`, -1 if there is none. Waits for the stream.
  virtual std::int64_t find_foreign(StreamToken stream, const char* address, std::size_t bytes,
                                    unsigned char value) = 0;

 protected:
  ~MemoryDriver() = default;
};

}  // namespace minima::device_memory
