#pragma once

#include <minima/ops/cudnn/graph.h>

#include <string>

namespace minima::test {

/// A GPU's properties, from NVIDIA's data sheets, for cuDNN to plan for.
struct DescribedGpu {
  const char* name;
  int sm;
  int multiprocessors, shared_bytes, clock_khz, memory_clock_khz;
  std::int64_t l2_bytes, memory_bytes;
};
inline constexpr DescribedGpu described_gpus[] = {
    {"NVIDIA A100-SXM4-80GB", 80, 108, 166912, 1410000, 1593000, 41943040, 85899345920},
    {"NVIDIA H200", 90, 132, 232448, 1980000, 3201000, 62914560, 150754820096},
    {"NVIDIA B200", 100, 148, 232448, 1965000, 3996000, 132644864, 191503007744}};

inline detail::GraphTarget target_of(const DescribedGpu& gpu) {
  const auto number = [](const char* key, std::int64_t value) {
    return std::string("\"") + key + "\":" + std::to_string(value) + ",";
  };
  std::string text = "{";
  text += number("deviceVer", 10 * gpu.sm) + number("driverVer", 13000) + number("cudaDeviceId", 0);
  text += "\"maxGridSize\":[2147483647,65535,65535],\"maxBlockSize\":[1024,1024,64],";
  text += number("regsPerBlock", 65536) + number("multiProcessorCount", gpu.multiprocessors) + number("warpSize", 32);
  text += number("maxSharedMemoryPerBlock", 49152) + number("maxSharedMemoryPerBlockOptin", gpu.shared_bytes);
  text +=
      number("reservedSharedMemoryPerBlock", 1024) + number("maxRegistersPerSM", 65536) + number("maxCtasPerSM", 32);
  text += number("maxThreadsPerBlock", 1024) + number("maxThreadsPerSM", 2048) + number("pciDeviceId", 0);
  text += number("isTccDriver", 0) + number("supportCoopLaunch", 1) + number("smClockRateKHz", gpu.clock_khz);
  text += number("memClockRateKHz", gpu.memory_clock_khz) + number("l2CacheSize", gpu.l2_bytes);
  text += number("totalGlobalMem", gpu.memory_bytes) + "\"deviceName\":\"" + gpu.name + "\"}";
  return {gpu.sm, text};
}

}  // namespace minima::test
