#pragma once

#include <minima/tensor/base/error.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

// One program per format. With clang's libFuzzer (preset `fuzz`) it finds inputs itself; otherwise replay.cpp runs the
// seeds and mutations of them. A reader may reject an input with one of minima's exceptions. Other exceptions,
// out-of-bounds accesses and disproportionate memory use are failures.

namespace fuzz {

/// The path of a file in memory with this content, for readers that take paths. It lasts until the next call.
std::string as_file(std::span<const std::byte> bytes);

template <class F>
int refuse_or_read(F&& f) {
  try {
    f();
  } catch (const minima::Error&) {
    return -1;  // libFuzzer drops the input
  }
  return 0;
}

}  // namespace fuzz

#define FUZZ_TARGET(bytes)                                                            \
  static void read_input(std::span<const std::byte> bytes);                           \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    fuzz::refuse_or_read([&] { read_input(std::as_bytes(std::span(data, size))); });  \
    return 0;                                                                         \
  }                                                                                   \
  static void read_input(std::span<const std::byte> bytes)
