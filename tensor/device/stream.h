#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>

#include <cstdint>

namespace minima {

class Event;
namespace detail {
struct StreamState;
}

/// A handle to a queue of GPU work. Work in one stream runs in order; work in different streams may overlap. Streams
/// live until the process ends. Operators run on the calling thread's current stream.
class MINIMA_API Stream {
 public:
  /// The default stream of a GPU, which is current unless a StreamGuard changes it. Throws DeviceError if there is no
  /// such GPU.
  explicit Stream(Device device = Device::cuda());
  /// The next, in turn, of the 32 streams per priority that the process shares. The GPU prefers work of lower
  /// `priority` values; values that it does not support are clamped.
  static Stream create(Device device = Device::cuda(), int priority = 0);
  /// Wraps a cudaStream_t that the caller keeps alive.
  static Stream wrap(void* handle, Device device = Device::cuda());

  Device device() const;
  /// The cudaStream_t, for other libraries; null is the default stream.
  void* handle() const;
  /// The stream's number in this process.
  int id() const;

  /// Blocks until all work in the stream is done.
  void synchronize() const;
  /// True if all work in the stream is done.
  bool is_idle() const;
  /// Makes work submitted from now on wait for the event. Does not block the host.
  void wait(const Event& event) const;
  /// The same for all work that `other` has been given so far.
  void wait(Stream other) const;

  friend bool operator==(Stream a, Stream b) { return a.state_ == b.state_; }
  explicit Stream(detail::StreamState* state) : state_(state) {}
  detail::StreamState* state() const { return state_; }

 private:
  detail::StreamState* state_;
};

/// The stream that runs this thread's operators on `device`.
MINIMA_API Stream current_stream(Device device = Device::cuda());

/// Makes `device` the current device of this thread's CUDA calls and launches. Does nothing for the CPU.
class MINIMA_API DeviceGuard {
 public:
  explicit DeviceGuard(Device device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int previous_;
};

/// Makes a stream, and its device, current for this thread.
class MINIMA_API StreamGuard {
 public:
  explicit StreamGuard(Stream stream);
  ~StreamGuard();
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

 private:
  Stream previous_;
  int previous_device_;
};

/// A point in a stream that other streams and the host can wait for. Two events measure the time between them. Creating
/// one is cheap; the CUDA event is created when it is first recorded.
class MINIMA_API Event {
 public:
  /// `sleeps`: a thread in synchronize() sleeps, and continues some microseconds later than one that spins.
  explicit Event(bool timing = false, bool sleeps = false) : timing_(timing), sleeps_(sleeps) {}
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();

  /// Marks the end of the work submitted to the stream so far.
  void record(Stream stream);
  /// True if the GPU has reached the event, or if it was never recorded.
  bool is_done() const;
  /// Blocks until the GPU has reached the event.
  void synchronize() const;
  /// Milliseconds of GPU time since `start`. Both events need `timing` and must be recorded. Blocks until this event.
  float since(const Event& start) const;
  /// The cudaEvent_t; null before the first record.
  void* handle() const { return handle_; }

 private:
  void* handle_ = nullptr;
  std::int8_t device_ = 0;
  bool timing_, sleeps_;
};

inline void Stream::wait(Stream other) const {
  Event given;
  given.record(other);
  wait(given);
}

namespace detail {
/// after.wait(before), for destructors: if that fails, the host waits instead.
MINIMA_API void follow(Stream after, Stream before) noexcept;
}  // namespace detail

/// Blocks until the device has finished all work. Throws failures of earlier work that have not been reported yet. Does
/// nothing for the CPU.
MINIMA_API void synchronize(Device device = Device::cuda());

}  // namespace minima
