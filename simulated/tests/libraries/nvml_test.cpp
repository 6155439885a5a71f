#include "simulated/tests/simulated.h"

#include <nvml.h>

#include <gtest/gtest.h>

// NVML tells of each simulated GPU what the driver knows of it.

namespace simulated::nvml_test {
namespace {

class Nvml : public Simulated {
 protected:
  static nvmlDevice_t device(int number) {
    char bus[32] = "";
    nvmlDevice_t handle = nullptr;
    EXPECT_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, number));
    EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2(bus, &handle), NVML_SUCCESS);
    return handle;
  }
  static nvmlMemory_t memory(int number) {
    nvmlMemory_t result{};
    EXPECT_EQ(nvmlDeviceGetMemoryInfo(device(number), &result), NVML_SUCCESS);
    return result;
  }
};

TEST_F(Nvml, MemoryIsThatOfTheBooksAndMakesNoContext) {
  ASSERT_EQ(nvmlInit_v2(), NVML_SUCCESS);
  EXPECT_EQ(memory(0).total, 81559ull << 20);
  EXPECT_EQ(memory(1).used, 0u);
  EXPECT_EQ(contexts(), 0);
  EXPECT_CUDA(cudaSetDevice(1));
  const unsigned long long context = memory(1).used;
  EXPECT_GT(context, 0u);
  device_ints(1 << 20);
  EXPECT_EQ(memory(1).used - context, 4u << 20);
  EXPECT_EQ(memory(1).used + memory(1).free, memory(1).total);
  EXPECT_EQ(memory(0).used, 0u);
}

TEST_F(Nvml, UtilizationIsThatOfPendingWork) {
  ASSERT_EQ(nvmlInit_v2(), NVML_SUCCESS);
  nvmlUtilization_t idle{1, 1};
  EXPECT_EQ(nvmlDeviceGetUtilizationRates(device(0), &idle), NVML_SUCCESS);
  EXPECT_EQ(idle.gpu, 0u);
  std::set<int> seen = outcomes([] {
    int* const memory = device_ints(1);
    launch(nullptr, store_kernel, memory, 1);
    nvmlUtilization_t now{};
    EXPECT_EQ(nvmlDeviceGetUtilizationRates(device(0), &now), NVML_SUCCESS);
    return static_cast<int>(now.gpu);
  });
  EXPECT_EQ(seen, (std::set{0, 100}));
}

TEST_F(Nvml, WhatTheMachineDoesNotHaveIsNotSupported) {
  ASSERT_EQ(nvmlInit_v2(), NVML_SUCCESS);
  unsigned value = 0;
  nvmlDevice_t none = nullptr;
  char release[80] = "";
  EXPECT_EQ(nvmlDeviceGetTemperature(device(0), NVML_TEMPERATURE_GPU, &value), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceGetPowerUsage(device(0), &value), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceGetClockInfo(device(0), NVML_CLOCK_SM, &value), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceGetPcieThroughput(device(0), NVML_PCIE_UTIL_TX_BYTES, &value), NVML_ERROR_NOT_SUPPORTED);
  unsigned long long count = 1;
  EXPECT_EQ(nvmlDeviceGetCurrentClocksThrottleReasons(device(0), &count), NVML_SUCCESS);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(nvmlDeviceGetTotalEccErrors(device(0), NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC, &count),
            NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2("0000:FF:00.0", &none), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(nvmlDeviceGetMemoryInfo(none, nullptr), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlSystemGetDriverVersion(release, 4), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(nvmlSystemGetDriverVersion(release, sizeof release), NVML_SUCCESS);
  EXPECT_TRUE(std::string(release).starts_with("580.")) << release;
}

TEST_F(Nvml, AnswersAfterErrorsAndFailsAsPlanned) {
  ASSERT_EQ(nvmlInit_v2(), NVML_SUCCESS);
  fail_call("nvmlInit_v2", 1, NVML_ERROR_UNKNOWN);
  EXPECT_EQ(nvmlInit_v2(), NVML_ERROR_UNKNOWN);
  fail_kernel(cudaErrorIllegalAddress);
  launch(nullptr, store_kernel, device_ints(1), 1);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_GT(memory(0).used, 0u);
}

}  // namespace
}  // namespace simulated::nvml_test
