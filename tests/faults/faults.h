#pragma once

#include <cstddef>

// Makes system calls and allocations of this thread fail. Counts calls since arming, including those by io/, the
// standard library and the allocators, but not those of other threads.

namespace faults {

enum class What {
  io_error,     ///< EIO
  full_disk,    ///< one write is cut in half; later writes fail with ENOSPC
  full_quota,   ///< the same with EDQUOT, which other calls fail with, too
  interrupted,  ///< EINTR where POSIX has it, else as io_error
  dead_disk,    ///< EIO for this call and all later ones
  no_memory,    ///< operator new throws std::bad_alloc
};

/// Arms: the `nth` call or allocation from here on fails, counted from 1; 0: none.
void arm(What what, std::size_t nth);

struct Report {
  std::size_t calls = 0;         ///< or allocations, since arming
  const char* failed = nullptr;  ///< which call failed first; null if none did
};
/// Disarms.
Report disarm();

/// A call that has succeeded: open (`create` with O_CREAT), fsync, rename, symlink, unlink, rmdir or mkdir.
struct Call {
  const char* name;
  const char* path;   ///< empty for fsync
  const char* other;  ///< the new name, or a link's target
  int file;           ///< the descriptor, of open and fsync
};
/// Hears of the calls of all threads; null without a listener.
extern void (*listener)(const Call& call);

}  // namespace faults
