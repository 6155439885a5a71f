#pragma once

#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <optional>

namespace c10::cuda {

class CUDAGuard : public DeviceGuard {
 public:
  explicit CUDAGuard(DeviceIndex index) : DeviceGuard(Device(DeviceType::CUDA, index)) {}
  explicit CUDAGuard(Device device) : DeviceGuard(device) {}
};

class OptionalCUDAGuard : public OptionalDeviceGuard {
 public:
  OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(std::optional<Device> device) : OptionalDeviceGuard(device) {}
  explicit OptionalCUDAGuard(DeviceIndex index) : OptionalDeviceGuard(Device(DeviceType::CUDA, index)) {}
  void set_device(Device device) { reset_device(device); }
  void set_index(DeviceIndex index) { reset_device(Device(DeviceType::CUDA, index)); }
};

/// Makes a stream and its GPU current.
class CUDAStreamGuard {
 public:
  explicit CUDAStreamGuard(c10::Stream stream);
  ~CUDAStreamGuard();
  CUDAStreamGuard(const CUDAStreamGuard&) = delete;
  CUDAStreamGuard& operator=(const CUDAStreamGuard&) = delete;

  CUDAStream original_stream() const { return previous_; }
  CUDAStream current_stream() const { return current_; }

 private:
  CUDAStream current_, previous_;
  DeviceGuard device_;
  minima::StreamGuard guard_;
};

}  // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAGuard;
using c10::cuda::CUDAStreamGuard;
using c10::cuda::OptionalCUDAGuard;
}  // namespace at::cuda
