#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace simulated {

/// A kind of GPU: what it is, and what the time model assumes of it. gpus/ has one file for each kind, which names the
/// source of every figure. Rates are dense, without sparsity.
struct GpuKind {
  const char* key;   ///< in MINIMA_SIMULATED_GPUS
  const char* name;  ///< what the runtime calls it
  int major, minor;  ///< compute capability

  int multiprocessors;
  int threads_per_multiprocessor;
  int blocks_per_multiprocessor;
  std::size_t shared_per_multiprocessor;  ///< bytes
  std::size_t shared_per_block;           ///< bytes, after opting in
  std::size_t memory;                     ///< bytes that the driver reports
  std::size_t l2_cache;                   ///< bytes
  int clock_khz;                          ///< the highest
  int memory_clock_khz;
  int memory_bus_bits;

  double bandwidth;       ///< of its memory, bytes per second
  double peak_float64;    ///< floating-point operations per second of products: tensor cores where they have float64
  double peak_float32;    ///< no tensor cores
  double peak_tf32;       ///< by tensor cores
  double peak_bfloat16;   ///< by tensor cores, sums in float32; float16 has the same
  double host_bandwidth;  ///< PCIe, one way, bytes per second
  double peer_bandwidth;  ///< NVLink or PCIe, one way, bytes per second

  // --- for the time model ---
  double achieved_bandwidth;  ///< share of `bandwidth` that a copy kernel reaches
  double achieved_rate;       ///< share of the peak rates that large products reach
  double memory_latency;      ///< seconds from a load to its value under load
  double l2_latency;          ///< the same where the value is in the L2 cache
  double kernel_gap;          ///< seconds between two kernels of a stream
  double graph_gap;           ///< the same inside a graph
};

extern const GpuKind h100, h200, a100, l4, rtx4090, b200;

/// H100, H200, A100, L4, RTX4090, B200.
const std::vector<GpuKind>& gpu_kinds();

/// The GPUs of a description such as "4xH200" or "H100,2xL4". Throws std::invalid_argument that lists the kinds.
std::vector<GpuKind> parse_gpus(const std::string& description);

}  // namespace simulated
