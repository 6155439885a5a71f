#include "simulated/machine/gpu_kind.h"

namespace simulated {

// H100 SXM5 80 GB.
//
// Data sheet "NVIDIA H100 Tensor Core GPU", column H100 SXM: bandwidth 3.35 TB/s, FP64 tensor and FP32 67 TFLOPS, TF32
// 989 and BFLOAT16 1,979 TFLOPS with sparsity, halved; NVLink 900 GB/s and PCIe Gen5 128 GB/s both ways, halved.
// White paper "NVIDIA H100 Tensor Core GPU Architecture", table of specifications: 132 multiprocessors, 50 MB of L2,
// 5,120-bit HBM3. The rate of bfloat16 follows from 132 × 4,096 operations at 1.83 GHz, that of float32 from 132 × 256
// at 1.98 GHz, the bandwidth from the memory clock.
// nvidia-smi: 81,559 MiB, clocks 1,980 and 2,619 MHz.
// Threads, blocks and shared memory: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability", 9.0.
//
// An L2 hit is assumed to take 200 ns.
// For the time model, not in any data sheet: a copy reaches 0.90 of the bandwidth and products 0.80 of the
// peak, the shares measured on an H200; 600 ns from load to value (assumed: 450 ns unloaded) under load; 1 µs between
// kernels and 0.6 µs inside a graph (assumed: NVIDIA's blog "Getting Started with CUDA Graphs" measured 0.9 and 0.5 µs
// on a V100).
constinit const GpuKind h100{
    .key = "H100",
    .name = "NVIDIA H100 80GB HBM3",
    .major = 9,
    .minor = 0,
    .multiprocessors = 132,
    .threads_per_multiprocessor = 2048,
    .blocks_per_multiprocessor = 32,
    .shared_per_multiprocessor = std::size_t{228} << 10,
    .shared_per_block = std::size_t{227} << 10,
    .memory = std::size_t{81559} << 20,
    .l2_cache = std::size_t{50} << 20,
    .clock_khz = 1'980'000,
    .memory_clock_khz = 2'619'000,
    .memory_bus_bits = 5120,
    .bandwidth = 3.35e12,
    .peak_float64 = 67e12,
    .peak_float32 = 67e12,
    .peak_tf32 = 494.7e12,
    .peak_bfloat16 = 989.4e12,
    .host_bandwidth = 64e9,
    .peer_bandwidth = 450e9,
    .achieved_bandwidth = 0.90,
    .achieved_rate = 0.80,
    .memory_latency = 600e-9,
    .l2_latency = 200e-9,
    .kernel_gap = 1.0e-6,
    .graph_gap = 0.6e-6,
};

}  // namespace simulated
