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

namespace minima::cuda {

namespace {

void expect_success(int status, const char* call) {
  if (status != 0) throw Error(str(call, ": ", nvmlErrorString(status)));
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
