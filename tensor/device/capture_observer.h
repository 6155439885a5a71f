#pragma once

#include <minima/tensor/base/api.h>

namespace minima {

/// Hears when a thread captures work for replay: operators run as ever, and their kernels become nodes of a graph.
class MINIMA_API CaptureObserver {
 public:
  virtual void begin_capture() = 0;
  /// Also if the capture failed.
  virtual void end_capture() noexcept = 0;

 protected:
  ~CaptureObserver() = default;
};

/// Sets this thread's observer and returns the previous one; null for none.
MINIMA_API CaptureObserver* set_capture_observer(CaptureObserver* observer);

namespace detail {

/// Tells the observer of a capture for the length of a scope.
class MINIMA_API ObservedCapture {
 public:
  ObservedCapture();
  ObservedCapture(const ObservedCapture&) = delete;
  ~ObservedCapture();

 private:
  CaptureObserver* observer_;
};

}  // namespace detail

}  // namespace minima
