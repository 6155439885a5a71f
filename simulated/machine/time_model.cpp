#include "simulated/machine/time_model.h"

#include <algorithm>
#include <cmath>

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
double fetched(const GpuKind& gpu, const Cost& cost, double blocks) {
  const bool is_cached = cost.bytes() < static_cast<double>(gpu.l2_cache) / 2;  // another kernel has just written it
  return blocks * cost.threads * cost.in_flight / (is_cached ? gpu.l2_latency : gpu.memory_latency);
}

/// Full waves at the speed of a full GPU, then the rest by itself.
double kernel_memory_seconds(const GpuKind& gpu, const Cost& cost) {
  const double l2_bandwidth = gpu.l2_bytes_per_clock * 1e3 * gpu.clock_khz;
  const double least =
      std::max(cost.bytes() / (gpu.bandwidth * gpu.achieved_bandwidth), cost.bytes() * cost.sectors / l2_bandwidth);
  if (cost.blocks <= 0 || cost.threads == 0) return least;
  const double places = static_cast<double>(resident_blocks(gpu, cost)) * gpu.multiprocessors;
  const auto part = [&](double share, double resident) {
    return share * std::max(least, cost.bytes_read / fetched(gpu, cost, resident));
  };
  const double full = std::floor(cost.blocks / places) * places, rest = cost.blocks - full;
  return (full > 0 ? part(full / cost.blocks, places) : 0) + (rest > 0 ? part(rest / cost.blocks, rest) : 0);
}

/// Own kernels: instructions that the schedulers of the multiprocessors which have a block can issue.
double issue_seconds(const GpuKind& gpu, const Cost& cost) {
  constexpr double lanes_per_clock = 4 * 32;
  const double busy = cost.blocks > 0 ? std::min<double>(gpu.multiprocessors, cost.blocks) : gpu.multiprocessors;
  return cost.issue_slots / (busy * lanes_per_clock * 1e3 * gpu.clock_khz);
}

}  // namespace

int resident_blocks(const GpuKind& gpu, const Cost& cost) {
  if (cost.threads == 0) return 1;  // a library's: a tile fills a multiprocessor
  const int threads = static_cast<int>(cost.threads);
  int blocks = std::min(gpu.blocks_per_multiprocessor, gpu.threads_per_multiprocessor / threads);
  if (cost.shared_bytes > 0)
    blocks = std::min(blocks, static_cast<int>(gpu.shared_per_multiprocessor / cost.shared_bytes));
  // 65,536 for all compute capabilities that are described; warps get them by 256 (CUDA C++ Programming Guide,
  // "Technical Specifications per Compute Capability").
  const int of_a_warp = (cost.registers + 7) / 8 * 256;
  if (of_a_warp > 0) blocks = std::min(blocks, 65536 / of_a_warp / ((threads + 31) / 32));
  return std::max(blocks, 1);
}

Waves waves_of(const GpuKind& gpu, const Cost& cost) {
  if (cost.blocks <= 0) return {};
  const double places = static_cast<double>(resident_blocks(gpu, cost)) * gpu.multiprocessors;
  const double count = std::ceil(cost.blocks / places);
  return {count, cost.blocks / (count * places)};
}

double seconds_of(const GpuKind& gpu, const Cost& cost) {
  if (cost.kind == WorkKind::mark) return 0;
  const double link = cost.link_bytes / (cost.kind == WorkKind::collective ? gpu.peer_bandwidth : gpu.host_bandwidth);
  if (cost.kind == WorkKind::kernel)
    return std::max({kernel_memory_seconds(gpu, cost), issue_seconds(gpu, cost), link});
  const double memory = cost.bytes() / (gpu.bandwidth * gpu.achieved_bandwidth);
  const double rate = peak_of(gpu, cost) * gpu.achieved_rate * cost.rate * waves_of(gpu, cost).filled;
  return std::max({memory, cost.flops / rate, link});
}

double roof_seconds_of(const GpuKind& gpu, const Cost& cost) {
  const double link = cost.link_bytes / (cost.kind == WorkKind::collective ? gpu.peer_bandwidth : gpu.host_bandwidth);
  return std::max({cost.bytes() / (gpu.bandwidth * gpu.achieved_bandwidth),
                   cost.flops / (peak_of(gpu, cost) * gpu.achieved_rate), link});
}

double host_seconds_of(const std::string& function) {
  constexpr double look = 0.3e-6, launch = 2e-6, library = 3e-6, graph = 6e-6;
  if (function == "cudaLaunchKernel") return launch;
  if (function == "cudaGraphLaunch") return graph;
  if (function == "cublasLtMatmul" || function == "cudnnBackendExecute" || function.starts_with("cufftExec") ||
      function.starts_with("cudnnRNN") || (function.starts_with("cusolverDnX") && !function.ends_with("_bufferSize")))
    return library;
  return look;
}

}  // namespace simulated
