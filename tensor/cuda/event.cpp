#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/device/wait_observer.h>

#include <cstdint>
#include <utility>

namespace minima {

namespace {

cudaEvent_t event_of(void* handle) { return static_cast<cudaEvent_t>(handle); }

}  // namespace

Event::Event(Event&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      device_(other.device_),
      timing_(other.timing_),
      sleeps_(other.sleeps_) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(device_, other.device_);
  std::swap(timing_, other.timing_);
  std::swap(sleeps_, other.sleeps_);
  return *this;
}

Event::~Event() {
  if (handle_ && !cuda::is_broken()) cuda::keep_failure(cudaEventDestroy(event_of(handle_)), "cudaEventDestroy");
}

void Event::record(Stream stream) {
  const int device = stream.state()->device;
  const cuda::DeviceGuard guard(device);
  if (handle_ && device_ != device) *this = Event(timing_, sleeps_);
  if (!handle_) {
    cudaEvent_t made = nullptr;
    const unsigned flags =
        (timing_ ? cudaEventDefault : cudaEventDisableTiming) | (sleeps_ ? cudaEventBlockingSync : cudaEventDefault);
    MINIMA_CUDA_CHECK(cudaEventCreateWithFlags(&made, flags));
    handle_ = made;
    device_ = static_cast<std::int8_t>(device);
  }
  MINIMA_CUDA_CHECK(cudaEventRecord(event_of(handle_), stream.state()->handle));
}

bool Event::is_done() const {
  if (!handle_) return true;
  const cudaError_t status = cudaEventQuery(event_of(handle_));
  if (status != cudaErrorNotReady) cuda::check(status, "cudaEventQuery");
  return status == cudaSuccess;
}

void Event::synchronize() const {
  if (!handle_) return;
  const detail::Waiting waiting(Wait::device);
  MINIMA_CUDA_CHECK(cudaEventSynchronize(event_of(handle_)));
}

void detail::follow(Stream after, Stream before) noexcept {
  try {
    after.wait(before);
  } catch (const Error&) {
    static_cast<void>(drain(*before.state()));
  }
}

float Event::since(const Event& start) const {
  if (!timing_ || !start.timing_)
    throw ValueError("Event: construct both events with Event(true) to measure the time between them");
  if (!handle_ || !start.handle_) throw ValueError("Event: record both events before measuring the time between them");
  synchronize();
  float milliseconds = 0;
  MINIMA_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, event_of(start.handle_), event_of(handle_)));
  return milliseconds;
}

}  // namespace minima
