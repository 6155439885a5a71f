#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>

namespace minima::cuda {

/// What a GPU is doing now, read through NVML.
struct Sensors {
  bool known = false;  ///< false: `reason` says why, and the rest is 0
  std::string reason;
  int utilization = 0;           ///< percent of the last sampling period in which a kernel ran
  int memory_utilization = 0;    ///< percent in which memory was read or written
  int temperature = 0;           ///< °C
  double power = 0;              ///< W
  std::int64_t memory_used = 0;  ///< bytes, of all processes
};

/// Never throws: a machine without NVML or the GPU has a reason instead.
MINIMA_API Sensors sensors(int device = 0);

}  // namespace minima::cuda
