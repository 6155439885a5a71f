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
  std::int64_t memory_total = 0;
  int clock = 0;                        ///< MHz of the multiprocessors
  int memory_clock = 0;                 ///< MHz
  std::int64_t uncorrected_errors = 0;  ///< of its memory (ECC) since the driver was loaded
  std::int64_t pcie_sent = 0;           ///< bytes per second to the host, over the last 20 ms
  std::int64_t pcie_received = 0;
  /// Why clocks are lower than they could be: "power", "heat", "power brake"; empty if they are not. An idle GPU's low
  /// clocks do not count.
  std::string throttled = {};
};

/// Does not throw if NVML or the GPU is missing: the result then has a reason.
MINIMA_API Sensors sensors(int device = 0);
/// The version of NVIDIA's driver, "580.65.06"; empty if NVML cannot tell.
MINIMA_API std::string driver_release();

}  // namespace minima::cuda
