#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace simulated {

/// A kind of GPU: what it is, and what the time model assumes of it. gpus/ has one file for each kind, which names the
/// source of every figure. Rates are dense, without sparsity.
struct GpuKind {
  const char* key{};   ///< in MINIMA_SIMULATED_GPUS
  const char* name{};  ///< what the runtime calls it
  int major, minor;    ///< compute capability

  int multiprocessors;
  int threads_per_multiprocessor;
  int blocks_per_multiprocessor;
  std::size_t shared_per_multiprocessor;  ///< bytes
  std::size_t shared_per_block;           ///< bytes, after opting in
  std::size_t memory{};                   ///< bytes that the driver reports
  std::size_t l2_cache;                   ///< bytes
  int clock_khz;                          ///< the highest
  int memory_clock_khz{};
  int memory_bus_bits{};

  double bandwidth{};     ///< of its memory, bytes per second
  double peak_float64;    ///< floating-point operations per second of products: tensor cores where they have float64
  double peak_float32;    ///< no tensor cores
  double peak_tf32;       ///< by tensor cores
  double peak_bfloat16;   ///< by tensor cores, sums in float32; float16 has the same
  double host_bandwidth;  ///< PCIe, one way, bytes per second
  double peer_bandwidth;  ///< NVLink or PCIe, one way, bytes per second

  // --- for the time model; no data sheet has these. Assumed, unless a GPU's file names a source ---
  double l2_bytes_per_clock;         ///< that the L2 cache hands to all multiprocessors
  double achieved_rate;              ///< share of the peak rates that large products reach
  double achieved_bandwidth = 0.90;  ///< share of `bandwidth` that a copy kernel reaches: an H200's, measured
  double memory_latency = 600e-9;    ///< seconds from a load to its value under load; unloaded it is 450 ns on an H100
  double l2_latency = 200e-9;        ///< the same where the value is in the L2 cache
  /// Seconds between two kernels of a stream, and inside a graph. NVIDIA's blog "Getting Started with CUDA Graphs"
  /// (2019) measured 0.9 and 0.5 µs on a V100.
  double kernel_gap = 1.0e-6, graph_gap = 0.6e-6;
};

extern const GpuKind h100, h200, a100, l4, rtx4090, b200;

/// All kinds: H100, H200, A100, L4, RTX4090, B200.
const std::vector<GpuKind>& gpu_kinds();

/// The GPUs of a description such as "4xH200" or "H100,2xL4". Throws std::invalid_argument that lists the kinds.
std::vector<GpuKind> parse_gpus(const std::string& description);

}  // namespace simulated
