#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>

namespace minima::cuda {

/// The current state of a GPU, read through NVML.
struct Sensors {
  bool known = false;  ///< if false, `reason` says why and the rest is 0
  std::string reason;
  int utilization = 0;           ///< percent of the last sampling period in which a kernel ran
  int memory_utilization = 0;    ///< percent in which memory was read or written
  int temperature = 0;           ///< °C
  double power = 0;              ///< W
  std::int64_t memory_used = 0;  ///< bytes, of all processes
};

/// Does not throw if NVML or the GPU is missing: the result then has a reason.
MINIMA_API Sensors sensors(int device = 0);
/// The version of NVIDIA's driver, "580.65.06"; empty if NVML cannot tell.
MINIMA_API std::string driver_release();

}  // namespace minima::cuda
