#include "simulated/machine/time_model.h"

#include "simulated/machine/kernel_counts.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace simulated {

namespace {

double peak_of(const GpuKind& gpu, const Cost& cost) {
  switch (cost.arithmetic) {
    case Arithmetic::float64: return gpu.peak_float64;
    case Arithmetic::float32: return gpu.peak_float32;
    case Arithmetic::tf32: return gpu.peak_tf32;
    case Arithmetic::half: return gpu.peak_bfloat16;
  }
  return gpu.peak_float32;
}

/// Bytes per second that the loads in flight of these blocks can fetch.
double fetched(const GpuKind& gpu, const Cost& cost, const KernelCounts& counts, double blocks) {
  const bool is_cached = cost.bytes() < static_cast<double>(gpu.l2_cache) / 2;  // another kernel has just written it
  return blocks * cost.threads * counts.load_bytes * counts.loads_in_flight /
         (is_cached ? gpu.l2_latency : gpu.memory_latency);
}

/// Full waves at the speed of a full GPU, then the rest by itself.
double kernel_memory_seconds(const GpuKind& gpu, const Cost& cost, const KernelCounts& counts) {
  const double most = gpu.bandwidth * gpu.achieved_bandwidth;
  if (cost.blocks <= 0 || cost.threads == 0) return cost.bytes() * counts.sectors / most;
  const double places = static_cast<double>(resident_blocks(gpu, cost)) * gpu.multiprocessors;
  const auto part = [&](double share, double resident) {
    return std::max(cost.bytes() * share * counts.sectors / most,
                    cost.bytes_read * share / fetched(gpu, cost, counts, resident));
  };
  const double full = std::floor(cost.blocks / places) * places, rest = cost.blocks - full;
  return (full > 0 ? part(full / cost.blocks, places) : 0) + (rest > 0 ? part(rest / cost.blocks, rest) : 0);
}

}  // namespace

int resident_blocks(const GpuKind& gpu, const Cost& cost) {
  if (cost.threads == 0) return 1;  // a library's: a tile fills a multiprocessor
  int blocks = std::min(gpu.blocks_per_multiprocessor, gpu.threads_per_multiprocessor / static_cast<int>(cost.threads));
  if (cost.shared_bytes > 0)
    blocks = std::min(blocks, static_cast<int>(gpu.shared_per_multiprocessor / cost.shared_bytes));
  return std::max(blocks, 1);
}

Waves waves_of(const GpuKind& gpu, const Cost& cost) {
  if (cost.blocks <= 0) return {};
  const double places = static_cast<double>(resident_blocks(gpu, cost)) * gpu.multiprocessors;
  const double count = std::ceil(cost.blocks / places);
  return {count, cost.blocks / (count * places)};
}

double seconds_of(const GpuKind& gpu, const Cost& cost, const std::string& name) {
  if (cost.kind == WorkKind::mark) return 0;
  constexpr std::string_view prefix = "kernel ";  // of a kernel's work
  const KernelCounts counts = cost.kind == WorkKind::kernel
                                  ? counts_of(name.substr(name.starts_with(prefix) ? prefix.size() : 0))
                                  : KernelCounts();
  const double memory = cost.kind == WorkKind::kernel ? kernel_memory_seconds(gpu, cost, counts)
                                                      : cost.bytes() / (gpu.bandwidth * gpu.achieved_bandwidth);
  // A kernel that is one of many small blocks does not leave a multiprocessor idle as a large tile does.
  const double filled = cost.kind == WorkKind::kernel
                            ? std::min(1.0, cost.blocks > 0 ? cost.blocks / gpu.multiprocessors : 1.0)
                            : waves_of(gpu, cost).filled;
  const double arithmetic = cost.flops / (peak_of(gpu, cost) * gpu.achieved_rate * cost.rate * filled);
  const double link = cost.link_bytes / (cost.kind == WorkKind::collective ? gpu.peer_bandwidth : gpu.host_bandwidth);
  return std::max({memory, arithmetic, link});
}

double host_seconds_of(const std::string& function) {
  constexpr double look = 0.3e-6, launch = 2e-6, library = 3e-6, graph = 6e-6;
  if (function == "cudaLaunchKernel") return launch;
  if (function == "cudaGraphLaunch") return graph;
  if (function == "cublasLtMatmul" || function == "cudnnBackendExecute") return library;
  return look;
}

}  // namespace simulated
