#pragma once

#include <minima/tensor/base/api.h>

namespace minima {

class Tensor;
namespace detail {
struct OperatorCall;
}

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
  /// Called between `begin` and the kernel, with the tensors and attributes of the call (ops/core/operator_call.h).
  virtual void call(const detail::OperatorCall&) {}
  /// Called after the kernel, even if it threw.
  virtual void end() noexcept = 0;
  /// Called when y becomes a view of x, for which no kernel runs.
  virtual void view(const Tensor& /*x*/, const Tensor& /*y*/) {}
  /// Called when the program reads x's values by item() or to_vector().
  virtual void read(const Tensor& /*x*/) {}

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
