#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

// Error checks in kernels. Kernels check values that only the device knows, such as indices, without synchronisation: a
// kernel records the fault and skips the invalid access, and the next call that waits for the device throws IndexError.

namespace minima::cuda {

/// The record of a fault, in memory that the host and all GPUs share. The first fault wins. The claim is atomic among
/// the threads of one GPU only, as for all mapped memory: if two GPUs find a fault of one kind before the host looks,
/// the error may show the value of one with the size of the other.
struct Fault {
  int claimed;  ///< by the thread that writes the rest
  int raised;   ///< written last
  std::int64_t value, size;
};

/// Creates the record for one kind of fault; it lives until the process ends. The error reads `before` value `between`
/// size `after`: {"gather: an index is ", ", but the dimension has size ", ""}.
struct FaultText {
  const char *before, *between, *after;
};
MINIMA_API Fault* fault_place(const FaultText& text);

/// Throws IndexError for a fault that has not been reported yet. The device must have been synchronised.
MINIMA_API void throw_faults();

}  // namespace minima::cuda
