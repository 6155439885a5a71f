#include <minima/tensor/device/capture_observer.h>

#include <utility>

namespace minima {

namespace {

constinit thread_local CaptureObserver* current = nullptr;

}  // namespace

CaptureObserver* set_capture_observer(CaptureObserver* observer) { return std::exchange(current, observer); }

detail::ObservedCapture::ObservedCapture() : observer_(current) {
  if (observer_) observer_->begin_capture();
}
detail::ObservedCapture::~ObservedCapture() {
  if (observer_) observer_->end_capture();
}

}  // namespace minima
