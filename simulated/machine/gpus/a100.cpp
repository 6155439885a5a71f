#include "simulated/machine/gpu_kind.h"

namespace simulated {

// A100 SXM4 80 GB.
//
// Data sheet "NVIDIA A100 Tensor Core GPU", column A100 80GB SXM: bandwidth 2,039 GB/s, FP64 tensor and FP32 19.5, TF32
// 156, BFLOAT16 312 TFLOPS; NVLink 600 GB/s and PCIe Gen4 64 GB/s both ways, halved.
// White paper "NVIDIA A100 Tensor Core GPU Architecture", table of specifications: 108 multiprocessors, 1,410 MHz, 40
// MB of L2, 5,120-bit HBM2. The rates follow from 108 × 2,048 and 108 × 128 operations at 1.41 GHz, the bandwidth from
// the memory clock. nvidia-smi: 81,920 MiB, clocks 1,410 and 1,593 MHz. Threads, blocks and shared memory: CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability", 8.0.
//
// An L2 hit is assumed to take 200 ns.
// For the time model, not in any data sheet: a copy reaches 0.90 of the bandwidth and products 0.85 of the
// peak, the former measured on an H200, the latter assumed higher since the A100 keeps its clock; 600 ns from load to
// value (assumed) under load; 1 µs between kernels and 0.6 µs inside a graph (assumed: NVIDIA's blog "Getting Started
// with CUDA Graphs" measured 0.9 and 0.5 µs on a V100).
constinit const GpuKind a100{
    .key = "A100",
    .name = "NVIDIA A100-SXM4-80GB",
    .major = 8,
    .minor = 0,
    .multiprocessors = 108,
    .threads_per_multiprocessor = 2048,
    .blocks_per_multiprocessor = 32,
    .shared_per_multiprocessor = std::size_t{164} << 10,
    .shared_per_block = std::size_t{163} << 10,
    .memory = std::size_t{81920} << 20,
    .l2_cache = std::size_t{40} << 20,
    .clock_khz = 1'410'000,
    .memory_clock_khz = 1'593'000,
    .memory_bus_bits = 5120,
    .bandwidth = 2.039e12,
    .peak_float64 = 19.5e12,
    .peak_float32 = 19.5e12,
    .peak_tf32 = 156e12,
    .peak_bfloat16 = 312e12,
    .host_bandwidth = 32e9,
    .peer_bandwidth = 300e9,
    .achieved_bandwidth = 0.90,
    .achieved_rate = 0.85,
    .memory_latency = 600e-9,
    .l2_latency = 200e-9,
    .kernel_gap = 1.0e-6,
    .graph_gap = 0.6e-6,
};

}  // namespace simulated
