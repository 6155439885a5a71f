#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/device/stream.h>

#include <cuda_runtime_api.h>

namespace minima::detail {

/// The state of a Stream; created once and never destroyed.
struct StreamState {
  cudaStream_t handle = nullptr;
  int device = 0;
  int id = 0;
  void* memory = nullptr;        ///< the allocator's StreamMemory; null until first used; accessed atomically
  void* workspace = nullptr;     ///< the Storage of the libraries' workspace, likewise
  StreamState* aside = nullptr;  ///< see run_aside
};

inline constexpr int max_devices = 16;

/// This thread's current GPU and the current stream of each GPU; null is the default stream.
struct ThreadDevice {
  int device = 0;
  /// CUDA's own current GPU: -1 before this thread's first cudaSetDevice, without which the driver's functions may have
  /// no context here; and not `device` while that one has no context.
  int cuda_device = -1;
  StreamState* streams[max_devices] = {};
};
extern constinit thread_local ThreadDevice thread_device;

StreamState* default_stream(int device);

/// The current stream of a GPU, without checking that the GPU exists.
inline StreamState* current_stream_state(int device) {
  StreamState* const state = thread_device.streams[device];
  return state ? state : default_stream(device);
}

/// Makes `device` this thread's current GPU, for CUDA too.
void set_device(int device);
/// Makes an earlier GPU current again; a failure is stored (see keep_failure). cudaSetDevice creates a context, which
/// takes half a gigabyte, so a GPU that has none becomes CUDA's only when something uses it.
void restore_device(int device) noexcept;
/// Until the next call, the thread that submits work to `stream` submits it to `aside` instead, and then makes `stream`
/// wait for that; null ends this.
void run_aside(StreamState& stream, StreamState* aside);
/// Makes `waiter` wait for all work of `stream` so far, including what runs aside.
void wait_for_work(Stream waiter, Stream stream);

/// Waits for the stream, for destructors: a failure is kept (keep_failure) and the wait tried once more. False if work
/// may still be running.
bool drain(const StreamState& stream) noexcept;

/// A GPU that minima has used, on which memory for all of them may be allocated; this thread's if it has used none.
int used_device();

/// A stream that has one owner, while those of Stream::create are shared: for what must not wait for, or be captured
/// with, the work of others. The next owner's work follows this one's.
class OwnStream {
 public:
  explicit OwnStream(Device device, int priority = 0);
  ~OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

  const Stream& operator*() const { return stream_; }
  const Stream* operator->() const { return &stream_; }

 private:
  Stream stream_;
  int priority_;
};

}  // namespace minima::detail

namespace minima::cuda {

/// minima::DeviceGuard, inline and by device number.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device) : previous_(minima::detail::thread_device.device) {
    using minima::detail::thread_device;
    if (device != thread_device.device || device != thread_device.cuda_device) [[unlikely]]
      minima::detail::set_device(device);
  }
  ~DeviceGuard() {
    if (minima::detail::thread_device.device != previous_) [[unlikely]]
      minima::detail::restore_device(previous_);
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int previous_;
};

/// During its lifetime this thread may call what CUDA calls "potentially unsafe" in a capture, such as allocating
/// memory, without ending the capture. (CUDA Runtime API, cudaThreadExchangeStreamCaptureMode)
class RelaxedCapture {
 public:
  RelaxedCapture() { MINIMA_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~RelaxedCapture() {
    keep_failure(cudaThreadExchangeStreamCaptureMode(&mode_), "cudaThreadExchangeStreamCaptureMode");
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace minima::cuda
