#pragma once

#include <cstddef>

// System calls and allocations of this thread that fail when they are told to. Calls are counted from arming on: what a
// file format does through io/, the standard library and the allocators all counts, what other threads do does not.

namespace faults {

enum class What {
  io_error,     ///< EIO
  full_disk,    ///< a write does half of what it should; what follows fails with ENOSPC, if it writes
  interrupted,  ///< EINTR where POSIX has it, else as io_error
  dead_disk,    ///< EIO, this call and all that follow
  no_memory,    ///< operator new throws std::bad_alloc
};

/// From here on the `nth` call (or allocation, 1 is the first) fails; none for 0.
void arm(What what, std::size_t nth);

struct Report {
  std::size_t calls = 0;         ///< or allocations, since arming
  const char* failed = nullptr;  ///< which call failed first; null if none did
};
/// Ends the failures.
Report disarm();

}  // namespace faults
