#pragma once

#include <minima/tensor/base/api.h>

namespace minima {

/// The minimum cost of an operator call: arithmetic and memory traffic.
struct Cost {
  double flops = 0;
  double bytes = 0;
};

/// Receives every operator call of a thread; `summary`, memory budgets and tests use it. Observers nest: a new one
/// forwards calls to the one it replaced.
class MINIMA_API Observer {
 public:
  /// Called before the kernel, with the operator's own estimate of its cost.
  virtual void begin(const char* op, Cost cost) = 0;
  /// Called after the kernel, even if it threw.
  virtual void end() noexcept = 0;

 protected:
  ~Observer() = default;
};

namespace detail {
extern MINIMA_API constinit thread_local Observer* thread_observer;
}

/// This thread's observer, or null.
inline Observer* observer() { return detail::thread_observer; }
/// Sets the observer and returns the previous one.
MINIMA_API Observer* set_observer(Observer* observer);

}  // namespace minima
