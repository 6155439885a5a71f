#include <torch/cuda.h>

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/core/native.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/Exception.h>

#include <minima/ops/cudnn/usage.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/storage/allocator.h>

#include <map>
#include <optional>
#include <ostream>

// minima addresses GPUs by number; LibTorch's current one is this layer's.

namespace c10 {

namespace {

constinit thread_local DeviceIndex current = 0;

DeviceIndex or_current(DeviceIndex index) { return index < 0 ? current : index; }
minima::Device gpu(DeviceIndex index) { return minima::Device::cuda(or_current(index)); }

}  // namespace

namespace cuda {

DeviceIndex device_count() noexcept { return static_cast<DeviceIndex>(minima::cuda::device_count()); }
DeviceIndex current_device() { return current; }
void set_device(DeviceIndex device) {
  minima::cuda::properties(device);  // throws if there is none
  current = device;
}
void device_synchronize() { minima::synchronize(gpu(-1)); }

CUDAStream getStreamFromPool(bool is_high_priority, DeviceIndex device) {
  return CUDAStream(c10::Stream(minima::Stream::create(gpu(device), is_high_priority ? -1 : 0)));
}
CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device) {
  return CUDAStream(c10::Stream(minima::Stream::wrap(stream, gpu(device))));
}
CUDAStream getDefaultCUDAStream(DeviceIndex device) { return CUDAStream(c10::Stream(minima::Stream(gpu(device)))); }
CUDAStream getCurrentCUDAStream(DeviceIndex device) {
  return CUDAStream(c10::Stream(minima::current_stream(gpu(device))));
}
void setCurrentCUDAStream(CUDAStream stream) {
  // minima changes streams for a scope only: this one lasts until the next call or the thread's end.
  static thread_local std::map<DeviceIndex, std::optional<minima::StreamGuard>> chosen;
  chosen[stream.device_index()].emplace(stream.unwrap().native());
}

std::ostream& operator<<(std::ostream& out, const CUDAStream& stream) {
  return out << "stream " << stream.id() << " on device " << stream.device();
}

CUDAStreamGuard::CUDAStreamGuard(c10::Stream stream)
    : current_(stream),
      previous_(getCurrentCUDAStream(stream.device_index())),
      device_(stream.device()),
      guard_(stream.native()) {}
CUDAStreamGuard::~CUDAStreamGuard() = default;

void CUDACachingAllocator::emptyCache() {
  for (DeviceIndex i = 0; i < device_count(); ++i) minima::empty_cache(minima::Device::cuda(i));
}

}  // namespace cuda

DeviceGuard::DeviceGuard(Device device) : previous_(current) { set_device(device); }
DeviceGuard::~DeviceGuard() { current = previous_; }
void DeviceGuard::set_device(Device device) {
  if (device.is_cuda() && device.has_index()) current = device.index();
}
void DeviceGuard::set_index(DeviceIndex index) { current = index; }
Device DeviceGuard::current_device() const { return {DeviceType::CUDA, current}; }

}  // namespace c10

namespace at::cuda {
bool is_available() { return c10::cuda::device_count() > 0; }
}  // namespace at::cuda

namespace torch::cuda {

c10::DeviceIndex device_count() { return c10::cuda::device_count(); }
bool is_available() { return device_count() > 0; }
bool cudnn_is_available() { return is_available(); }

// minima has one generator for all devices.
void manual_seed(std::uint64_t seed) {
  if (is_available()) minima::manual_seed(seed);
}
void manual_seed_all(std::uint64_t seed) { manual_seed(seed); }

void synchronize(std::int64_t device_index) {
  TORCH_CHECK(is_available(), "No CUDA GPUs are available");
  TORCH_CHECK(device_index < device_count(), "Device index out of range: ", device_index);
  minima::synchronize(
      minima::Device::cuda(static_cast<int>(device_index < 0 ? c10::cuda::current_device() : device_index)));
}

}  // namespace torch::cuda
