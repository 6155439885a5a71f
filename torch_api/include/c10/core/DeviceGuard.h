#pragma once

#include <c10/core/Device.h>

#include <optional>

namespace c10 {

/// Makes a GPU the current one of this thread while it exists: new tensors on `kCUDA` without an index go there. Does
/// nothing for the CPU.
class DeviceGuard {
 public:
  explicit DeviceGuard(Device device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

  void set_device(Device device);
  void reset_device(Device device) { set_device(device); }
  void set_index(DeviceIndex index);
  Device original_device() const { return {DeviceType::CUDA, previous_}; }
  Device current_device() const;

 private:
  DeviceIndex previous_;
};

class OptionalDeviceGuard {
 public:
  OptionalDeviceGuard() = default;
  explicit OptionalDeviceGuard(std::optional<Device> device) {
    if (device) guard_.emplace(*device);
  }
  void reset_device(Device device) { guard_.emplace(device); }

 private:
  std::optional<DeviceGuard> guard_;
};

}  // namespace c10

namespace at {
using c10::DeviceGuard;
using c10::OptionalDeviceGuard;
}  // namespace at
