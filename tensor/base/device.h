#pragma once

#include <cstdint>

namespace minima {

enum class DeviceType : std::uint8_t { cpu, cuda };

/// The CPU or one GPU.
struct Device {
  DeviceType type = DeviceType::cpu;
  std::int8_t index = 0;

  static constexpr Device cpu() { return {}; }
  static constexpr Device cuda(int index = 0) { return {DeviceType::cuda, static_cast<std::int8_t>(index)}; }

  constexpr bool is_cpu() const { return type == DeviceType::cpu; }
  constexpr bool is_cuda() const { return type == DeviceType::cuda; }
  friend constexpr bool operator==(Device, Device) = default;
};

}  // namespace minima
