#include "simulated/machine/gpu_kind.h"

namespace simulated {

// B200 of an HGX B200, 1,000 W, announced in March 2024.
//
// "NVIDIA Blackwell Architecture Technical Brief" (2024), HGX B200 per GPU: FP64 40, FP32 80, TF32 2,200 and BF16 4,500
// TFLOPS with sparsity, halved; NVLink 1,800 GB/s and PCIe Gen5 128 GB/s both ways, halved. 148 × 256 operations
// at 1.965 GHz give 74.5 TFLOP/s of float32, less than the brief's rounded 80. The brief rounds the bandwidth to 8
// TB/s; the driver reports a bus of 7,680 bits since 2026 (before: 8,192), which gives 7.67 TB/s
// (github.com/pytorch/ao/pull/4002, March 2026). CUDA's Blackwell Tuning Guide (2025): 126 MB of L2. 148
// multiprocessors: deviceQuery in the same pull request. nvidia-smi: 183,359 MiB, memory clock 3,996 MHz; the clock of
// 1,965 MHz was not verified. Threads, blocks and shared memory: CUDA C++ Programming Guide 13.0 (2025), "Technical
// Specifications per Compute Capability", 10.0.
//
// Assumed: an L2 cache of 10,240 bytes per clock, twice an A100's; products reach 0.75 of the peak; 700 ns from load to
// value, since it is two chips.
constinit const GpuKind b200{
    .key = "B200",
    .name = "NVIDIA B200",
    .major = 10,
    .minor = 0,
    .multiprocessors = 148,
    .threads_per_multiprocessor = 2048,
    .blocks_per_multiprocessor = 32,
    .shared_per_multiprocessor = std::size_t{228} << 10,
    .shared_per_block = std::size_t{227} << 10,
    .memory = std::size_t{183359} << 20,
    .l2_cache = std::size_t{126} << 20,
    .clock_khz = 1'965'000,
    .memory_clock_khz = 3'996'000,
    .memory_bus_bits = 7680,
    .bandwidth = 7.67e12,
    .peak_float64 = 40e12,
    .peak_float32 = 80e12,
    .peak_tf32 = 1.1e15,
    .peak_bfloat16 = 2.25e15,
    .host_bandwidth = 64e9,
    .peer_bandwidth = 900e9,
    .l2_bytes_per_clock = 10240,
    .achieved_rate = 0.75,
    .memory_latency = 700e-9,
};

}  // namespace simulated
