#include <minima/tensor/cuda/handles.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/library_status.h>  // IWYU pragma: keep
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/tensor/storage/storage.h>

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace minima::cuda {

namespace {

using minima::detail::max_devices;
using minima::detail::thread_device;

/// cuDNN handles that no thread uses.
struct Idle {
  std::mutex mutex;
  std::vector<cudnnHandle_t> handles[max_devices];
};
Idle& idle() {
  static Idle* const all = new Idle;
  return *all;
}

/// The handles of a thread, returned when it ends.
struct ThreadHandles {
  cudnnHandle_t handles[max_devices] = {};
  cudaStream_t streams[max_devices] = {};

  ~ThreadHandles() {
    const std::lock_guard lock(idle().mutex);
    for (int device = 0; device < max_devices; ++device)
      if (handles[device]) idle().handles[device].push_back(handles[device]);
  }

  cudnnHandle_t acquire(int device) {
    {
      const std::lock_guard lock(idle().mutex);
      auto& rest = idle().handles[device];
      if (!rest.empty()) {
        cudnnHandle_t const handle = rest.back();
        rest.pop_back();
        return handle;
      }
    }
    cudnnHandle_t handle = nullptr;
    MINIMA_CUDA_CHECK(cudnnCreate(&handle));
    return handle;
  }
};
thread_local ThreadHandles thread_handles;

std::mutex making;

}  // namespace

cublasLtHandle_t cublas_lt_handle() {
  static cublasLtHandle_t handles[max_devices] = {};
  cublasLtHandle_t& slot = handles[thread_device.device];
  cublasLtHandle_t handle = __atomic_load_n(&slot, __ATOMIC_ACQUIRE);
  if (handle) return handle;
  const std::lock_guard lock(making);
  if (!slot) {
    MINIMA_CUDA_CHECK(cublasLtCreate(&handle));
    __atomic_store_n(&slot, handle, __ATOMIC_RELEASE);
  }
  return slot;
}

cudnnHandle_t cudnn_handle() {
  const int device = thread_device.device;
  const cudaStream_t stream = minima::detail::current_stream_state(device)->handle;
  cudnnHandle_t& handle = thread_handles.handles[device];
  const bool is_new = !handle;
  if (is_new) handle = thread_handles.acquire(device);
  if (is_new || thread_handles.streams[device] != stream) {
    MINIMA_CUDA_CHECK(cudnnSetStream(handle, stream));
    thread_handles.streams[device] = stream;
  }
  return handle;
}

Workspace::Workspace() {
  minima::detail::StreamState& state = *minima::detail::current_stream_state(thread_device.device);
  const Device device = Device::cuda(state.device);
  bytes_ = properties(state.device).major >= 9 ? std::size_t{80} << 20 : std::size_t{8} << 20;
  const PurposeGuard purpose(Purpose::temporaries);
  if (minima::detail::is_captured(device)) {
    temporary_ = StoragePtr(allocator_of(device).allocate(bytes_));
    data_ = temporary_->data();
    return;
  }
  auto* memory = static_cast<Storage*>(__atomic_load_n(&state.workspace, __ATOMIC_ACQUIRE));
  if (!memory) {
    const std::lock_guard lock(making);
    if (!state.workspace)  // kept at exit: work that uses it may be pending when the process ends
      __atomic_store_n(&state.workspace, static_cast<void*>(allocator_of(device).allocate(bytes_)), __ATOMIC_RELEASE);
    memory = static_cast<Storage*>(state.workspace);
  }
  data_ = memory->data();
}

void free_workspace(minima::detail::StreamState& stream) {
  const std::lock_guard lock(making);
  const StoragePtr freed(static_cast<Storage*>(std::exchange(stream.workspace, nullptr)));
}

}  // namespace minima::cuda
