#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace simulated {

/// Bytes in whole pages: those that were read before anything was written there, and those that were written.
struct Touched {
  std::size_t read = 0, written = 0;
};

/// While it exists, finds out which pages this thread touches of the allocations of simulated GPUs that the words of a
/// kernel's parameters point into: the pages are protected, and each fault opens one. One at a time; x86-64 only.
class TouchedPages {
 public:
  explicit TouchedPages(std::span<const std::uint8_t> parameters);
  ~TouchedPages();
  TouchedPages(const TouchedPages&) = delete;

  Touched touched() const;
};

}  // namespace simulated
