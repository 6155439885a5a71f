#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

// Arguments that only the device knows, such as indices, are checked by kernels, and nothing waits for that: a kernel
// notes what is wrong, goes on without touching memory that is not there, and the next call that waits for the device
// throws IndexError.

namespace minima::cuda {

/// Where kernels note it, in memory that host and GPU share; the first one wins.
struct Fault {
  int raised;
  std::int64_t value, size;
};

/// The place for one kind of fault, made when it is asked for first. The error reads `before` value `between` size
/// `after`: {"gather: an index is ", ", but the dimension has size ", ""}. Kept for the life of the process.
struct FaultText {
  const char *before, *between, *after;
};
MINIMA_API Fault* fault_place(const FaultText& text);

/// Throws IndexError for a fault that was noted and not told yet; the device must have been waited for.
MINIMA_API void throw_faults();

}  // namespace minima::cuda
