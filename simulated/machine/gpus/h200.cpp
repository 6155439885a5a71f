#include "simulated/machine/gpu_kind.h"

namespace simulated {

// H200 SXM 141 GB.
//
// Data sheet "NVIDIA H200 Tensor Core GPU", column H200 SXM: bandwidth 4.8 TB/s; rates, NVLink and PCIe as for H100
// SXM. The same chip as the H100 (white paper "NVIDIA H100 Tensor Core GPU Architecture"): 132 multiprocessors, 50 MB
// of L2; six stacks of 1,024 bits. nvidia-smi: 143,771 MiB, clocks 1,980 and 3,201 MHz. That memory clock would
// give 4.92 TB/s; the data sheet's figure is used. Threads, blocks and shared memory: CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability", 9.0.
//
// An L2 hit is assumed to take 200 ns.
// For the time model: a copy kernel reached 4.3 TB/s and large bfloat16 products 790 TFLOP/s, measured on an H200 at
// 700 W; 600 ns from load to value under load (assumed: 450 ns unloaded); 1 µs between kernels and 0.6 µs inside a
// graph (assumed: NVIDIA's blog "Getting Started with CUDA Graphs" measured 0.9 and 0.5 µs on a V100).
constinit const GpuKind h200{
    .key = "H200",
    .name = "NVIDIA H200",
    .major = 9,
    .minor = 0,
    .multiprocessors = 132,
    .threads_per_multiprocessor = 2048,
    .blocks_per_multiprocessor = 32,
    .shared_per_multiprocessor = std::size_t{228} << 10,
    .shared_per_block = std::size_t{227} << 10,
    .memory = std::size_t{143771} << 20,
    .l2_cache = std::size_t{50} << 20,
    .clock_khz = 1'980'000,
    .memory_clock_khz = 3'201'000,
    .memory_bus_bits = 6144,
    .bandwidth = 4.8e12,
    .peak_float64 = 67e12,
    .peak_float32 = 67e12,
    .peak_tf32 = 494.7e12,
    .peak_bfloat16 = 989.4e12,
    .host_bandwidth = 64e9,
    .peer_bandwidth = 450e9,
    .achieved_bandwidth = 4.3 / 4.8,
    .achieved_rate = 790 / 989.4,
    .memory_latency = 600e-9,
    .l2_latency = 200e-9,
    .kernel_gap = 1.0e-6,
    .graph_gap = 0.6e-6,
};

}  // namespace simulated
