#pragma once

#include <minima/tensor/base/api.h>

#include <vector>

namespace minima::detail {

/// Notes signals that would end the process. At most one object per process, created and destroyed by the main thread;
/// a second one throws Error. The destructor restores the previous handlers.
class MINIMA_API SignalWatch {
 public:
  struct Watched {
    int number;
    bool once;  ///< a second one ends the process at once
  };
  /// `owner` is for the error's text.
  SignalWatch(const char* owner, const std::vector<Watched>& signals);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

  /// The last signal that has arrived since construction; 0 without one.
  static int last();
  /// Whether this one has arrived.
  static bool has(int number);
};

}  // namespace minima::detail
