#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>

#include <cstdint>

namespace minima {

class Event;
namespace detail {
struct StreamState;
}

/// A queue of work on a GPU: what is put into one runs in order, what is in different ones may overlap. A value that
/// names a queue; queues live until the process ends. Every operator runs on the thread's current stream.
class MINIMA_API Stream {
 public:
  /// The default stream of a GPU, which is current in every thread until a StreamGuard says otherwise. Throws
  /// DeviceError where there is no such GPU.
  explicit Stream(Device device = Device::cuda());
  /// One of 32 streams that the process shares for each priority; the next in turn. Work of lower `priority` values
  /// goes first where the GPU has to choose; values beyond what it offers are clamped.
  static Stream create(Device device = Device::cuda(), int priority = 0);
  /// A stream that somebody else made and keeps alive; `handle` is a cudaStream_t.
  static Stream wrap(void* handle, Device device = Device::cuda());

  Device device() const;
  /// The cudaStream_t, for other libraries; null is the default stream.
  void* handle() const;
  /// Counts the process's streams.
  int id() const;

  /// Waits on the host until everything in the queue is done.
  void synchronize() const;
  /// True if nothing is left to do.
  bool is_idle() const;
  /// What is put into this stream from now on starts after the event. The host doesn't wait.
  void wait(const Event& event) const;

  friend bool operator==(Stream a, Stream b) { return a.state_ == b.state_; }
  explicit Stream(detail::StreamState* state) : state_(state) {}
  detail::StreamState* state() const { return state_; }

 private:
  detail::StreamState* state_;
};

/// Where this thread's operators on `device` go.
MINIMA_API Stream current_stream(Device device = Device::cuda());

/// CUDA calls of this thread, launches among them, mean `device` while the guard lives; for the CPU nothing changes.
class MINIMA_API DeviceGuard {
 public:
  explicit DeviceGuard(Device device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int previous_;
};

/// Makes a stream this thread's current one while the guard lives, and its device the one that CUDA calls mean.
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

/// A mark in a stream: others can wait for it, and two of them measure the time between. Making one is cheap; the GPU
/// learns of it when it is recorded.
class MINIMA_API Event {
 public:
  explicit Event(bool timing = false) : timing_(timing) {}
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();

  /// Marks the point that the stream has been given work up to.
  void record(Stream stream);
  /// True if the GPU has passed the mark, or if there is none.
  bool is_done() const;
  /// Waits on the host for it.
  void synchronize() const;
  /// Milliseconds of GPU time from `start` to here. Both must have been made with `timing` and be recorded; waits.
  float since(const Event& start) const;
  /// The cudaEvent_t, null before it is recorded first.
  void* handle() const { return handle_; }

 private:
  void* handle_ = nullptr;
  std::int8_t device_ = 0;
  bool timing_;
};

/// Waits on the host until the device has done everything it was given. Raises what failed on it without being told
/// yet. Does nothing for the CPU.
MINIMA_API void synchronize(Device device = Device::cuda());

}  // namespace minima
