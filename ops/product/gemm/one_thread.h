#pragma once

#include <cstdint>

namespace minima::detail {

/// In its scope, OpenMP regions that this thread enters run on this thread alone. The destructor restores the caller's
/// setting. Does nothing if no library of the program has loaded OpenMP.
class OneOpenMPThread {
 public:
  OneOpenMPThread();
  ~OneOpenMPThread();
  OneOpenMPThread(const OneOpenMPThread&) = delete;

 private:
  int previous_ = 1;
};

/// Guards every call into a library with its own generated code and threads: oneDNN.
///
/// Its OpenMP regions run on one thread: Debian's oneDNN would start a thread team per call, and teams slow down badly
/// as soon as anything else needs a core.
///
/// exit() frees the code that oneDNN has generated. It first waits, for at most two seconds, for calls in other
/// threads; threads that start a call later sleep until the process ends. The exiting thread itself can no longer use
/// the library.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;

 private:
  std::uint64_t call_ = 0;  ///< its number; 0 if nested
  OneOpenMPThread open_mp_;
};

/// Whether the process is exiting and the library must no longer be called.
bool is_library_closed();

}  // namespace minima::detail
