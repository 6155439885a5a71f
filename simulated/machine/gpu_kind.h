#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace simulated {

/// A kind of GPU, dense peak rates without sparsity.
struct GpuKind {
  const char* key;   ///< in MINIMA_SIMULATED_GPUS
  const char* name;  ///< what the runtime calls it
  int major, minor;  ///< compute capability
  int multiprocessors;
  int threads_per_multiprocessor;
  std::size_t memory;            ///< bytes
  std::size_t l2_cache;          ///< bytes
  std::size_t shared_per_block;  ///< bytes, after opting in
  int clock_khz;                 ///< boost
  int memory_clock_khz;
  int memory_bus_bits;
  double bandwidth;       ///< of its memory, bytes per second
  double peak_float32;    ///< floating-point operations per second, no tensor cores
  double peak_bfloat16;   ///< by tensor cores
  double host_bandwidth;  ///< PCIe, one way, bytes per second
  double peer_bandwidth;  ///< NVLink or PCIe, one way, bytes per second
};

/// H100, H200, A100, L4, RTX4090, B200.
const std::vector<GpuKind>& gpu_kinds();

/// The GPUs of a description such as "4xH200" or "H100,2xL4". Throws std::invalid_argument that lists the kinds.
std::vector<GpuKind> parse_gpus(const std::string& description);

}  // namespace simulated
