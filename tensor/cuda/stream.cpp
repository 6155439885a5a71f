#include <minima/tensor/device/stream.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace minima {

namespace detail {

constinit thread_local ThreadDevice thread_device;

namespace {

constexpr int streams_per_priority = 32;

/// GPUs that have been some thread's, so that a context is there.
constinit std::atomic<bool> is_used[max_devices] = {};

/// All streams of the process.
struct Streams {
  std::mutex mutex;
  int count = 0;
  std::map<int, StreamState*> of_device;                           ///< default streams
  std::map<std::pair<int, cudaStream_t>, StreamState*> by_handle;  ///< wrapped ones
  struct Pool {
    StreamState* streams[streams_per_priority] = {};
    int next = 0;
  };
  std::map<std::pair<int, int>, Pool> pools;  ///< by device and priority

  StreamState* add(cudaStream_t handle, int device) {
    return new StreamState{.handle = handle, .device = device, .id = count++};
  }
};

Streams& streams() {
  static Streams* const all = new Streams;
  return *all;
}

}  // namespace

StreamState* default_stream(int device) {
  Streams& all = streams();
  const std::lock_guard lock(all.mutex);
  StreamState*& state = all.of_device[device];
  if (!state) state = all.add(nullptr, device);
  return thread_device.streams[device] = state;
}

void set_device(int device) {
  MINIMA_CUDA_CHECK(cudaSetDevice(device));
  thread_device.device = thread_device.cuda_device = device;
  is_used[device].store(true, std::memory_order_relaxed);
}

void restore_device(int device) noexcept {
  thread_device.device = device;
  if (device == thread_device.cuda_device || !is_used[device].load(std::memory_order_relaxed)) return;
  cuda::keep_failure(cudaSetDevice(device), "cudaSetDevice");
  thread_device.cuda_device = device;
}

int used_device() {
  for (int device = 0; device < max_devices; ++device)
    if (is_used[device].load(std::memory_order_relaxed)) return device;
  return thread_device.device;
}

namespace {

int expect_gpu(Device device, const char* caller) {
  if (!device.is_cuda()) throw DeviceError(str(caller, ": ", device, " has no streams; pass a GPU"));
  if (device.index >= max_devices)
    throw DeviceError(str(caller, ": ", device, ": minima supports at most ", max_devices, " GPUs"));
  cuda::properties(device.index);
  return device.index;
}

}  // namespace
}  // namespace detail

DeviceGuard::DeviceGuard(Device device) : previous_(detail::thread_device.device) {
  if (device.is_cuda() && (device.index != previous_ || device.index != detail::thread_device.cuda_device))
    detail::set_device(detail::expect_gpu(device, "DeviceGuard"));
}
DeviceGuard::~DeviceGuard() {
  if (detail::thread_device.device != previous_) detail::restore_device(previous_);
}

Stream::Stream(Device device) : state_(nullptr) {
  const int index = detail::expect_gpu(device, "Stream");
  detail::StreamState* const previous = detail::thread_device.streams[index];
  state_ = detail::default_stream(index);
  if (previous) detail::thread_device.streams[index] = previous;
}

Stream Stream::create(Device device, int priority) {
  const int index = detail::expect_gpu(device, "Stream::create");
  const cuda::DeviceGuard guard(index);
  int least = 0, greatest = 0;
  MINIMA_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  priority = std::clamp(priority, greatest, least);
  detail::Streams& all = detail::streams();
  const std::lock_guard lock(all.mutex);
  auto& pool = all.pools[{index, priority}];
  detail::StreamState*& state = pool.streams[pool.next++ % detail::streams_per_priority];
  if (!state) {
    cudaStream_t handle = nullptr;
    MINIMA_CUDA_CHECK(cudaStreamCreateWithPriority(&handle, cudaStreamNonBlocking, priority));
    state = all.add(handle, index);
  }
  return Stream(state);
}

Stream Stream::wrap(void* handle, Device device) {
  const int index = detail::expect_gpu(device, "Stream::wrap");
  if (!handle) return Stream(device);
  detail::Streams& all = detail::streams();
  const std::lock_guard lock(all.mutex);
  detail::StreamState*& state = all.by_handle[{index, static_cast<cudaStream_t>(handle)}];
  if (!state) state = all.add(static_cast<cudaStream_t>(handle), index);
  return Stream(state);
}

Device Stream::device() const { return Device::cuda(state_->device); }
void* Stream::handle() const { return state_->handle; }
int Stream::id() const { return state_->id; }

void Stream::synchronize() const {
  const cuda::DeviceGuard guard(state_->device);
  MINIMA_CUDA_CHECK(cudaStreamSynchronize(state_->handle));
  cuda::throw_kept_failure();
}

bool Stream::is_idle() const {
  const cuda::DeviceGuard guard(state_->device);
  const cudaError_t status = cudaStreamQuery(state_->handle);
  if (status != cudaErrorNotReady) cuda::check(status, "cudaStreamQuery");
  return status == cudaSuccess;
}

void Stream::wait(const Event& event) const {
  if (!event.handle()) return;
  const cuda::DeviceGuard guard(state_->device);
  MINIMA_CUDA_CHECK(cudaStreamWaitEvent(state_->handle, static_cast<cudaEvent_t>(event.handle()), 0));
}

Stream current_stream(Device device) {
  return Stream(detail::current_stream_state(detail::expect_gpu(device, "current_stream")));
}

StreamGuard::StreamGuard(Stream stream)
    : previous_(detail::current_stream_state(stream.state()->device)), previous_device_(detail::thread_device.device) {
  const int device = stream.state()->device;
  if (device != previous_device_ || device != detail::thread_device.cuda_device) detail::set_device(device);
  detail::thread_device.streams[device] = stream.state();
}

StreamGuard::~StreamGuard() {
  detail::thread_device.streams[previous_.state()->device] = previous_.state();
  if (detail::thread_device.device != previous_device_) detail::restore_device(previous_device_);
}

void synchronize(Device device) {
  if (device.is_cpu()) return;
  const cuda::DeviceGuard guard(detail::expect_gpu(device, "synchronize"));
  MINIMA_CUDA_CHECK(cudaDeviceSynchronize());
  cuda::throw_kept_failure();
}

}  // namespace minima
