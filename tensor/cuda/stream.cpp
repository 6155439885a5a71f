#include <minima/tensor/device/stream.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/cuda/used_devices.h>
#include <minima/tensor/device/wait_observer.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

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
  std::map<std::pair<int, int>, Pool> pools;                      ///< by device and priority
  std::map<std::pair<int, int>, std::vector<StreamState*>> idle;  ///< without an owner, likewise

  StreamState* add(cudaStream_t handle, int device) {
    return new StreamState{.handle = handle, .device = device, .id = count++};
  }
  /// With the device current and the mutex locked.
  StreamState* create(int device, int priority) {
    cudaStream_t handle = nullptr;
    MINIMA_CUDA_CHECK(cudaStreamCreateWithPriority(&handle, cudaStreamNonBlocking, priority));
    return add(handle, device);
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

void run_aside(StreamState& stream, StreamState* aside) {
  const std::lock_guard lock(streams().mutex);
  stream.aside = aside;
}

void wait_for_work(Stream waiter, Stream stream) {
  const std::lock_guard lock(streams().mutex);  // so that a capture does not begin before the event is recorded
  waiter.wait(stream);
  if (StreamState* const aside = stream.state()->aside) waiter.wait(Stream(aside));
}

bool drain(const StreamState& stream) noexcept try {
  const cuda::DeviceGuard guard(stream.device);
  const cudaError_t status = cudaStreamSynchronize(stream.handle);
  if (status == cudaSuccess) return true;
  cuda::keep_failure(status, "cudaStreamSynchronize");
  return cudaStreamSynchronize(stream.handle) == cudaSuccess;
} catch (const Error&) {
  return false;
}

int used_device() {
  for (int device = 0; device < max_devices; ++device)
    if (is_used[device].load(std::memory_order_relaxed)) return device;
  return thread_device.device;
}

std::vector<int> used_devices() {
  std::vector<int> used;
  for (int device = 0; device < max_devices; ++device)
    if (is_used[device].load(std::memory_order_relaxed)) used.push_back(device);
  return used;
}

namespace {

int expect_gpu(Device device, const char* caller) {
  if (!device.is_cuda()) throw DeviceError(str(caller, ": ", device, " has no streams; pass a GPU"));
  if (device.index >= max_devices)
    throw DeviceError(str(caller, ": ", device, ": minima supports at most ", max_devices, " GPUs"));
  cuda::properties(device.index);
  return device.index;
}

/// The nearest priority that the current device supports.
int supported(int priority) {
  int least = 0, greatest = 0;
  MINIMA_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  return std::clamp(priority, greatest, least);
}

}  // namespace

OwnStream::OwnStream(Device device, int priority) : stream_(nullptr), priority_(priority) {
  const int index = expect_gpu(device, "Stream");
  const cuda::DeviceGuard guard(index);
  const std::lock_guard lock(streams().mutex);
  auto& idle = streams().idle[{index, priority}];
  if (idle.empty()) idle.push_back(streams().create(index, supported(priority)));
  stream_ = Stream(idle.back());
  idle.pop_back();
}

OwnStream::~OwnStream() {
  const std::lock_guard lock(streams().mutex);
  streams().idle[{stream_.state()->device, priority_}].push_back(stream_.state());
}

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
  priority = detail::supported(priority);
  detail::Streams& all = detail::streams();
  const std::lock_guard lock(all.mutex);
  auto& pool = all.pools[{index, priority}];
  detail::StreamState*& state = pool.streams[pool.next++ % detail::streams_per_priority];
  if (!state) state = all.create(index, priority);
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
  const detail::Waiting waiting(Wait::device);
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
  const detail::Waiting waiting(Wait::device);
  MINIMA_CUDA_CHECK(cudaDeviceSynchronize());
  cuda::throw_kept_failure();
}

}  // namespace minima
