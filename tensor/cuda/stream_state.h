#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/device/stream.h>

#include <cuda_runtime_api.h>

namespace minima::detail {

/// What a Stream names. Made once, never destroyed.
struct StreamState {
  cudaStream_t handle = nullptr;
  int device = 0;
  int id = 0;
  void* memory = nullptr;     ///< the allocator's StreamMemory, once it was asked for; written and read atomically
  void* workspace = nullptr;  ///< of the libraries, likewise
};

inline constexpr int max_devices = 16;

/// This thread's view: which GPU CUDA's calls mean, and the current stream of each; null is the default stream.
struct ThreadDevice {
  int device = 0;
  StreamState* streams[max_devices] = {};
};
extern constinit thread_local ThreadDevice thread_device;

StreamState* default_stream(int device);

/// The current stream of a GPU that exists; the fast way to it.
inline StreamState* current_stream_state(int device) {
  StreamState* const state = thread_device.streams[device];
  return state ? state : default_stream(device);
}

/// Makes `device` the one that CUDA calls of this thread mean.
void set_device(int device);
/// The same for destructors: a failure is kept.
void restore_device(int device) noexcept;

}  // namespace minima::detail

namespace minima::cuda {

/// The same as minima::DeviceGuard, by number and in line.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device) : previous_(minima::detail::thread_device.device) {
    if (device != previous_) [[unlikely]]
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

}  // namespace minima::cuda
