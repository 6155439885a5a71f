#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

namespace minima {

/// Names the event that a thread waits for.
enum class Wait : std::uint8_t {
  threads,      ///< the other threads of a `parallel_for`
  device,       ///< a GPU's work: `synchronize`, reading a value
  to_device,    ///< a copy from the CPU to a GPU
  from_device,  ///< a copy from a GPU to the CPU
  ranks         ///< a collective operation
};
/// `threads`, `device`, `to device`, `from device` or `ranks`.
MINIMA_API const char* name(Wait wait);

/// Hears of a thread's waits, which may be inside operators and gradients, and inside each other.
class MINIMA_API WaitObserver {
 public:
  /// `bytes` are those of a copy.
  virtual void begin_wait(Wait wait, double bytes) noexcept = 0;
  virtual void end_wait() noexcept = 0;

 protected:
  ~WaitObserver() = default;
};

/// Sets this thread's observer and returns the previous one; null for none.
MINIMA_API WaitObserver* set_wait_observer(WaitObserver* observer);

namespace detail {

extern MINIMA_API constinit thread_local WaitObserver* thread_wait_observer;

/// Tells the observer that the thread waits for the length of a scope.
class Waiting {
 public:
  explicit Waiting(Wait wait, double bytes = 0) : observer_(thread_wait_observer) {
    if (observer_) observer_->begin_wait(wait, bytes);
  }
  Waiting(const Waiting&) = delete;
  ~Waiting() {
    if (observer_) observer_->end_wait();
  }

 private:
  WaitObserver* observer_;
};

}  // namespace detail

}  // namespace minima
