#pragma once

#include <minima/tensor/base/api.h>

namespace minima {

/// What an operator call costs at least: arithmetic, and bytes that must cross memory.
struct Cost {
  double flops = 0;
  double bytes = 0;
};

/// Sees every operator that a thread runs. The profiler, `summary` and tests listen here; the library calls it and
/// knows no listener. Observers nest: a new one calls on to the one it replaced if it wants both to see.
class MINIMA_API Observer {
 public:
  /// Before the kernel; the cost is the operator's own claim.
  virtual void begin(const char* op, Cost cost) = 0;
  /// After the kernel, also when it threw.
  virtual void end() noexcept = 0;

 protected:
  ~Observer() = default;
};

namespace detail {
extern MINIMA_API constinit thread_local Observer* thread_observer;
}

/// This thread's observer, null if nobody listens.
inline Observer* observer() { return detail::thread_observer; }
/// Sets it and returns the one before.
MINIMA_API Observer* set_observer(Observer* observer);

}  // namespace minima
