#include <minima/tensor/cuda/nvml.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/libraries/forward.h>
#include <minima/tensor/cuda/libraries/lazy_library.h>

#include <cstdint>
#include <string>

// The few functions that minima calls, declared here: the header of NVML comes with drivers, not with all toolkits.
extern "C" {
struct NvmlUtilization {
  unsigned gpu, memory;
};
struct NvmlMemory {
  unsigned long long total, free, used;
};
using NvmlDevice = void*;
int nvmlInit_v2();
const char* nvmlErrorString(int status);
int nvmlSystemGetDriverVersion(char* text, unsigned length);
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, NvmlDevice* device);
int nvmlDeviceGetUtilizationRates(NvmlDevice device, NvmlUtilization* utilization);
int nvmlDeviceGetTemperature(NvmlDevice device, int sensor, unsigned* degrees);
int nvmlDeviceGetPowerUsage(NvmlDevice device, unsigned* milliwatts);
int nvmlDeviceGetMemoryInfo(NvmlDevice device, NvmlMemory* memory);
int nvmlDeviceGetClockInfo(NvmlDevice device, int clock, unsigned* megahertz);
int nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice device, unsigned long long* reasons);
int nvmlDeviceGetTotalEccErrors(NvmlDevice device, int kind, int counter, unsigned long long* count);
int nvmlDeviceGetPcieThroughput(NvmlDevice device, int counter, unsigned* kilobytes_per_second);
}

using minima::cuda::nvml_library;
MINIMA_FORWARD(nvml_library, nvmlInit_v2, 0)
MINIMA_FORWARD(nvml_library, nvmlErrorString, 1)
MINIMA_FORWARD(nvml_library, nvmlSystemGetDriverVersion, 2)
MINIMA_FORWARD(nvml_library, nvmlDeviceGetHandleByPciBusId_v2, 2)
MINIMA_FORWARD(nvml_library, nvmlDeviceGetUtilizationRates, 2)
MINIMA_FORWARD(nvml_library, nvmlDeviceGetTemperature, 3)
MINIMA_FORWARD(nvml_library, nvmlDeviceGetPowerUsage, 2)
MINIMA_FORWARD(nvml_library, nvmlDeviceGetMemoryInfo, 2)
MINIMA_FORWARD(nvml_library, nvmlDeviceGetClockInfo, 3)
MINIMA_FORWARD(nvml_library, nvmlDeviceGetCurrentClocksThrottleReasons, 2)
MINIMA_FORWARD(nvml_library, nvmlDeviceGetTotalEccErrors, 4)
MINIMA_FORWARD(nvml_library, nvmlDeviceGetPcieThroughput, 3)

namespace minima::cuda {

namespace {

void expect_success(int status, const char* call) {
  if (status != 0) throw Error(str(call, ": ", nvmlErrorString(status)));
}

std::string text_of(unsigned long long reasons) {
  if (reasons & (0x20 | 0x40)) return "heat";         // nvmlClocksThrottleReasonSwThermalSlowdown, …HwThermalSlowdown
  if (reasons & (0x08 | 0x80)) return "power brake";  // …HwSlowdown, …HwPowerBrakeSlowdown
  return reasons & 0x04 ? "power" : "";               // …SwPowerCap
}

}  // namespace

Sensors sensors(int device) {
  Sensors result;
  try {
    const std::string& bus = properties(device).pci_bus;
    expect_success(nvmlInit_v2(), "nvmlInit");
    NvmlDevice handle = nullptr;
    expect_success(nvmlDeviceGetHandleByPciBusId_v2(bus.c_str(), &handle), "nvmlDeviceGetHandleByPciBusId");
    NvmlMemory memory{};
    expect_success(nvmlDeviceGetMemoryInfo(handle, &memory), "nvmlDeviceGetMemoryInfo");
    result.memory_used = static_cast<std::int64_t>(memory.used);
    result.memory_total = static_cast<std::int64_t>(memory.total);
    result.known = true;
    // A virtual GPU doesn't report everything; the rest stays 0.
    NvmlUtilization utilization{};
    if (nvmlDeviceGetUtilizationRates(handle, &utilization) == 0) {
      result.utilization = static_cast<int>(utilization.gpu);
      result.memory_utilization = static_cast<int>(utilization.memory);
    }
    unsigned value = 0;
    if (nvmlDeviceGetTemperature(handle, 0, &value) == 0) result.temperature = static_cast<int>(value);
    if (nvmlDeviceGetPowerUsage(handle, &value) == 0) result.power = value * 1e-3;
    if (nvmlDeviceGetClockInfo(handle, 1, &value) == 0) result.clock = static_cast<int>(value);         // NVML_CLOCK_SM
    if (nvmlDeviceGetClockInfo(handle, 2, &value) == 0) result.memory_clock = static_cast<int>(value);  // …_MEM
    if (nvmlDeviceGetPcieThroughput(handle, 0, &value) == 0) result.pcie_sent = std::int64_t{1000} * value;
    if (nvmlDeviceGetPcieThroughput(handle, 1, &value) == 0) result.pcie_received = std::int64_t{1000} * value;
    unsigned long long wide = 0;
    if (nvmlDeviceGetCurrentClocksThrottleReasons(handle, &wide) == 0) result.throttled = text_of(wide);
    if (nvmlDeviceGetTotalEccErrors(handle, 1, 0, &wide) == 0)  // uncorrected, volatile
      result.uncorrected_errors = static_cast<std::int64_t>(wide);
  } catch (const Error& error) {
    result.reason = error.what();
  }
  return result;
}

std::string driver_release() try {
  char text[80] = "";  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
  expect_success(nvmlInit_v2(), "nvmlInit");
  expect_success(nvmlSystemGetDriverVersion(text, sizeof text), "nvmlSystemGetDriverVersion");
  return text;
} catch (const Error&) {
  return "";
}

}  // namespace minima::cuda
