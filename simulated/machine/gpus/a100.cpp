#include "simulated/machine/gpu_kind.h"

namespace simulated {

// A100 SXM4 80 GB, announced in November 2020.
//
// Data sheet "NVIDIA A100 Tensor Core GPU" (2021), column A100 80GB SXM: bandwidth 2,039 GB/s, FP64 tensor and FP32
// 19.5, TF32 156, BFLOAT16 312 TFLOPS; NVLink 600 GB/s and PCIe Gen4 64 GB/s both ways, halved.
// White paper "NVIDIA A100 Tensor Core GPU Architecture" (2020), table of specifications: 108 multiprocessors, 1,410
// MHz, 40 MB of L2, 5,120-bit HBM2. The rates follow from 108 × 2,048 and 108 × 128 operations at 1.41 GHz, the
// bandwidth from the memory clock. It also has the L2 cache's 5,120 bytes per clock. nvidia-smi: 81,920 MiB, clocks
// 1,410 and 1,593 MHz.
// Threads, blocks and shared memory: CUDA C++ Programming Guide 13.0 (2025), "Technical Specifications per Compute
// Capability", 8.0.
//
// Assumed: products reach 0.85 of the peak, more than on an H200, since the A100 keeps its clock.
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
    .l2_bytes_per_clock = 5120,
    .achieved_rate = 0.85,
};

}  // namespace simulated
