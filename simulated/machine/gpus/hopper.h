#pragma once

#include "simulated/machine/gpu_kind.h"

namespace simulated {

// The chip of H100 SXM5 and H200 SXM; they differ in their memory.
//
// Data sheet "NVIDIA H100 Tensor Core GPU" (2023), column H100 SXM; "NVIDIA H200 Tensor Core GPU" (2024) has the same:
// FP64 tensor and FP32 67 TFLOPS, TF32 989 and BFLOAT16 1,979 TFLOPS with sparsity, halved; NVLink 900 GB/s and PCIe
// Gen5 128 GB/s both ways, halved.
// White paper "NVIDIA H100 Tensor Core GPU Architecture" (2022), table of specifications: 132 multiprocessors, 50 MB of
// L2. The rate of bfloat16 follows from 132 × 4,096 operations at 1.83 GHz, that of float32 from 132 × 256 at 1.98 GHz.
// nvidia-smi: clock 1,980 MHz.
// Threads, blocks and shared memory: CUDA C++ Programming Guide 13.0 (2025), "Technical Specifications per Compute
// Capability", 9.0.
//
// Measured on an H200 at 700 W: a copy kernel reached 4.3 TB/s and large bfloat16 products 790 TFLOP/s.
// Assumed: an L2 cache of 5,120 bytes per clock, as an A100's.
inline constexpr GpuKind hopper{
    .major = 9,
    .minor = 0,
    .multiprocessors = 132,
    .threads_per_multiprocessor = 2048,
    .blocks_per_multiprocessor = 32,
    .shared_per_multiprocessor = std::size_t{228} << 10,
    .shared_per_block = std::size_t{227} << 10,
    .l2_cache = std::size_t{50} << 20,
    .clock_khz = 1'980'000,
    .peak_float64 = 67e12,
    .peak_float32 = 67e12,
    .peak_tf32 = 494.7e12,
    .peak_bfloat16 = 989.4e12,
    .host_bandwidth = 64e9,
    .peer_bandwidth = 450e9,
    .l2_bytes_per_clock = 5120,
    .achieved_rate = 790 / 989.4,
    .achieved_bandwidth = 4.3 / 4.8,
};

/// `kind` with a name and memory: bytes, bandwidth, clock and width of the bus.
constexpr GpuKind with_memory(GpuKind kind, const char* key, const char* name, std::size_t memory, double bandwidth,
                              int memory_clock_khz, int memory_bus_bits) {
  kind.key = key;
  kind.name = name;
  kind.memory = memory;
  kind.bandwidth = bandwidth;
  kind.memory_clock_khz = memory_clock_khz;
  kind.memory_bus_bits = memory_bus_bits;
  return kind;
}

}  // namespace simulated
