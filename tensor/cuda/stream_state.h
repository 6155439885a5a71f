#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/device/stream.h>

#include <cuda_runtime_api.h>

namespace minima::detail {

/// The state of a Stream; created once and never destroyed.
struct StreamState {
  cudaStream_t handle = nullptr;
  int device = 0;
  int id = 0;
  void* memory = nullptr;     ///< the allocator's StreamMemory; null until first used; accessed atomically
  void* workspace = nullptr;  ///< the libraries' workspace, likewise
};

inline constexpr int max_devices = 16;

/// This thread's current GPU and the current stream of each GPU; null is the default stream.
struct ThreadDevice {
  int device = 0;
  StreamState* streams[max_devices] = {};
};
extern constinit thread_local ThreadDevice thread_device;

StreamState* default_stream(int device);

/// The current stream of a GPU, without checking that the GPU exists.
inline StreamState* current_stream_state(int device) {
  StreamState* const state = thread_device.streams[device];
  return state ? state : default_stream(device);
}

/// Makes `device` this thread's current GPU.
void set_device(int device);
/// The same for destructors: a failure is stored (see keep_failure).
void restore_device(int device) noexcept;

}  // namespace minima::detail

namespace minima::cuda {

/// minima::DeviceGuard, inline and by device number.
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
