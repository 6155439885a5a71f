#pragma once

#include <cstdint>

namespace minima::detail {

/// Guards every call into a library that has its own code and threads, which is oneDNN.
///
/// While it lives, OpenMP regions that this thread enters run on this thread alone. Debian's oneDNN would otherwise
/// start a team per call, and teams collapse as soon as anything else wants a core. The caller's own setting comes back
/// afterwards.
///
/// exit() frees the code that oneDNN has generated. It waits for calls that other threads are in, two seconds at most,
/// and threads that begin one later sleep until the process is gone. What the exiting thread itself still computes must
/// do without the library.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;

 private:
  std::uint64_t call_ = 0;  ///< its number; 0 within another
  int previous_ = 1;
};

/// Whether that has come.
bool is_library_closed();

}  // namespace minima::detail
