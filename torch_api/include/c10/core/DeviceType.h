#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

namespace c10 {

using DeviceIndex = std::int8_t;

/// LibTorch's list. minima runs on CPU and CUDA; a tensor on any other device throws.
enum class DeviceType : std::int8_t {
  CPU = 0,
  CUDA = 1,
  MKLDNN = 2,
  OPENGL = 3,
  OPENCL = 4,
  IDEEP = 5,
  HIP = 6,
  FPGA = 7,
  MAIA = 8,
  XLA = 9,
  Vulkan = 10,
  Metal = 11,
  XPU = 12,
  MPS = 13,
  Meta = 14,
  HPU = 15,
  VE = 16,
  Lazy = 17,
  IPU = 18,
  MTIA = 19,
  PrivateUse1 = 20,
  COMPILE_TIME_MAX_DEVICE_TYPES = 21,
};

inline constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kHIP = DeviceType::HIP,
                            kMPS = DeviceType::MPS, kMeta = DeviceType::Meta, kXPU = DeviceType::XPU,
                            kXLA = DeviceType::XLA, kVulkan = DeviceType::Vulkan, kMetal = DeviceType::Metal,
                            kFPGA = DeviceType::FPGA, kHPU = DeviceType::HPU, kVE = DeviceType::VE,
                            kLazy = DeviceType::Lazy, kIPU = DeviceType::IPU, kMTIA = DeviceType::MTIA,
                            kPrivateUse1 = DeviceType::PrivateUse1;

/// `CPU`, or `cpu` in lower case.
std::string DeviceTypeName(DeviceType type, bool lower_case = false);
std::ostream& operator<<(std::ostream& out, DeviceType type);

}  // namespace c10
