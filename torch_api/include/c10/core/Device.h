#pragma once

#include <minima/tensor/base/device.h>

#include <c10/core/DeviceType.h>

namespace c10 {

/// A device type and an index, which is -1 for the CPU and for "the current one".
struct Device final {
  using Type = DeviceType;

  /// Throws if the index fits no device of this type.
  Device(DeviceType type, DeviceIndex index = -1);
  /// `cpu`, `cuda`, `cuda:1`
  Device(const std::string& text);
  Device(const char* text) : Device(std::string(text)) {}

  DeviceType type() const { return type_; }
  DeviceIndex index() const { return index_; }
  void set_index(DeviceIndex index) { index_ = index; }
  bool has_index() const { return index_ != -1; }
  bool is_cpu() const { return type_ == DeviceType::CPU; }
  bool is_cuda() const { return type_ == DeviceType::CUDA; }
  bool is_mps() const { return type_ == DeviceType::MPS; }
  bool is_meta() const { return type_ == DeviceType::Meta; }
  bool is_xpu() const { return type_ == DeviceType::XPU; }
  bool supports_as_strided() const { return true; }
  std::string str() const;

  friend bool operator==(const Device&, const Device&) = default;

 private:
  DeviceType type_;
  DeviceIndex index_;
};
std::ostream& operator<<(std::ostream& out, const Device& device);

/// minima's device; an index of -1 is this thread's current GPU. Throws for device types that minima does not have.
minima::Device native(Device device);
Device from_native(minima::Device device);

}  // namespace c10

template <> struct std::hash<c10::Device> {
  std::size_t operator()(c10::Device d) const noexcept {
    return static_cast<std::size_t>(d.type()) << 8 | static_cast<std::uint8_t>(d.index());
  }
};
template <> struct std::hash<c10::DeviceType> {
  std::size_t operator()(c10::DeviceType type) const noexcept { return static_cast<std::size_t>(type); }
};
