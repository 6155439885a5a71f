#include <nvml.h>

#include "simulated/machine/machine.h"
#include "simulated/runtime/call.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

// Each simulated GPU as the driver sees it, of all processes. NVML creates no context, and answers after errors.

using namespace simulated;

namespace {

bool initialised = false;

/// body(Machine&) says what the function returns.
template <class Body> nvmlReturn_t nvml_call(const char* function, const Body& body) noexcept {
  expect_host(function);
  Machine& machine = simulated::machine();
  const InCall in_call(machine);
  if (const int planned = machine.plan.count(function)) return static_cast<nvmlReturn_t>(planned);
  return body(machine);
}

/// A device is its number, from 1.
nvmlDevice_t handle_of(int device) { return reinterpret_cast<nvmlDevice_t>(static_cast<std::uintptr_t>(device + 1)); }

/// The same for functions that ask about a device: body(Machine&, its number).
template <class Body> nvmlReturn_t nvml_call(const char* function, nvmlDevice_t handle, const Body& body) noexcept {
  return nvml_call(function, [&](Machine& machine) {
    if (!initialised) return NVML_ERROR_UNINITIALIZED;
    for (int device = 0; device < static_cast<int>(machine.gpus.size()); ++device)
      if (handle == handle_of(device)) return body(machine, device);
    return NVML_ERROR_INVALID_ARGUMENT;
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlInit_v2(void) {
  return nvml_call("nvmlInit_v2", [](const Machine&) {
    initialised = true;
    return NVML_SUCCESS;
  });
}

const char* nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS: return "The operation was successful";
    case NVML_ERROR_UNINITIALIZED: return "NVML was not first initialized with nvmlInit()";
    case NVML_ERROR_INVALID_ARGUMENT: return "A supplied argument is invalid";
    case NVML_ERROR_NOT_SUPPORTED: return "The requested operation is not available on target device";
    case NVML_ERROR_NOT_FOUND: return "A query to find an object was unsuccessful";
    case NVML_ERROR_INSUFFICIENT_SIZE: return "An input argument is not large enough";
    default: return "An internal driver error occurred";
  }
}

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned int length) {
  return nvml_call("nvmlSystemGetDriverVersion", [&](const Machine&) {
    constexpr char release[] = "580.00.00";  // the first that runs CUDA 13
    if (!initialised) return NVML_ERROR_UNINITIALIZED;
    if (length < sizeof release) return NVML_ERROR_INSUFFICIENT_SIZE;
    std::memcpy(version, release, sizeof release);
    return NVML_SUCCESS;
  });
}

/// The text is cudaDeviceGetPCIBusId's.
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* bus, nvmlDevice_t* device) {
  return nvml_call("nvmlDeviceGetHandleByPciBusId_v2", [&](const Machine& machine) {
    if (!initialised) return NVML_ERROR_UNINITIALIZED;
    for (int i = 0; i < static_cast<int>(machine.gpus.size()); ++i) {
      char text[32];
      std::snprintf(text, sizeof text, "0000:%02X:00.0", 0x10 + i);
      if (std::strcmp(text, bus) != 0) continue;
      *device = handle_of(i);
      return NVML_SUCCESS;
    }
    return NVML_ERROR_NOT_FOUND;
  });
}

/// All of the last sampling period if work is pending, none otherwise.
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t handle, nvmlUtilization_t* utilization) {
  return nvml_call("nvmlDeviceGetUtilizationRates", handle, [&](const Machine& machine, int device) {
    const unsigned percent = machine.schedule.pending_of(device) > 0 ? 100 : 0;
    *utilization = {percent, percent};
    return NVML_SUCCESS;
  });
}

/// The machine has no heat and no power: as on virtual GPUs, they cannot be asked for.
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t handle, nvmlTemperatureSensors_t, unsigned int*) {
  return nvml_call("nvmlDeviceGetTemperature", handle, [](Machine&, int) { return NVML_ERROR_NOT_SUPPORTED; });
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t handle, unsigned int*) {
  return nvml_call("nvmlDeviceGetPowerUsage", handle, [](Machine&, int) { return NVML_ERROR_NOT_SUPPORTED; });
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t handle, nvmlMemory_t* memory) {
  return nvml_call("nvmlDeviceGetMemoryInfo", handle, [&](const Machine& machine, int device) {
    const std::size_t total = machine.memory.capacity(device), free = machine.memory.free_bytes(device);
    *memory = {total, free, total - free};
    return NVML_SUCCESS;
  });
}

/// Its clocks never vary, its memory has no errors, and its link has no counters.
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t handle, nvmlClockType_t, unsigned int*) {
  return nvml_call("nvmlDeviceGetClockInfo", handle, [](Machine&, int) { return NVML_ERROR_NOT_SUPPORTED; });
}

nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t handle, unsigned long long* reasons) {
  return nvml_call("nvmlDeviceGetCurrentClocksThrottleReasons", handle, [&](Machine&, int) {
    *reasons = 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t handle, nvmlMemoryErrorType_t, nvmlEccCounterType_t,
                                         unsigned long long* count) {
  return nvml_call("nvmlDeviceGetTotalEccErrors", handle, [&](Machine&, int) {
    *count = 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetPcieThroughput(nvmlDevice_t handle, nvmlPcieUtilCounter_t, unsigned int*) {
  return nvml_call("nvmlDeviceGetPcieThroughput", handle, [](Machine&, int) { return NVML_ERROR_NOT_SUPPORTED; });
}

}  // extern "C"
