#pragma once

#include <minima/tensor/device/observer.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Hides operators and reads from this thread's observer, for checks of values whose only consequence is an error: a
/// graph that is recorded does not depend on them.
class Unobserved {
 public:
  Unobserved() = default;
  Unobserved(const Unobserved&) = delete;
  Unobserved& operator=(const Unobserved&) = delete;
  ~Unobserved() { set_observer(previous_); }

 private:
  Observer* previous_ = set_observer(nullptr);
};

/// f() without this thread's observer.
template <class F>
auto unobserved(F&& f) {
  const Unobserved guard;
  return f();
}

/// Tells this thread's observer that x's values are read through a pointer, as item() and to_vector() tell it.
inline void note_read(const Tensor& x) {
  if (Observer* const listener = observer()) listener->read(x);
}

}  // namespace minima::detail
