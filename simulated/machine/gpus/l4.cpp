#include "simulated/machine/gpu_kind.h"

namespace simulated {

// L4, announced in March 2023.
//
// Data sheet "NVIDIA L4 Tensor Core GPU" (2023): 24 GB, 300 GB/s, FP32 30.3 TFLOPS, TF32 120 and BFLOAT16 242 TFLOPS
// with sparsity, halved; PCIe Gen4 x16 64 GB/s both ways, halved; it has no NVLink. White paper "NVIDIA Ada GPU
// Architecture" (2.01, 2023: it has the L4), AD104: 192-bit GDDR6, 48 MB of L2; 58 of its 60 multiprocessors. The rates
// follow from 58 × 1,024 and 58 × 256 operations at 2.04 GHz, float64 at 1/64 of float32, the bandwidth from the memory
// clock.
// nvidia-smi: 23,034 MiB with ECC, clocks 2,040 and 6,251 MHz.
// Threads, blocks and shared memory: CUDA C++ Programming Guide 13.0 (2025), "Technical Specifications per Compute
// Capability", 8.9.
//
// Assumed: an L2 cache of 1,024 bytes per clock, half an RTX 4090's; products reach 0.60 of the peak, since 72 W do
// not keep the clock.
constinit const GpuKind l4{
    .key = "L4",
    .name = "NVIDIA L4",
    .major = 8,
    .minor = 9,
    .multiprocessors = 58,
    .threads_per_multiprocessor = 1536,
    .blocks_per_multiprocessor = 24,
    .shared_per_multiprocessor = std::size_t{100} << 10,
    .shared_per_block = std::size_t{99} << 10,
    .memory = std::size_t{23034} << 20,
    .l2_cache = std::size_t{48} << 20,
    .clock_khz = 2'040'000,
    .memory_clock_khz = 6'251'000,
    .memory_bus_bits = 192,
    .bandwidth = 300e9,
    .peak_float64 = 0.473e12,
    .peak_float32 = 30.3e12,
    .peak_tf32 = 60e12,
    .peak_bfloat16 = 121e12,
    .host_bandwidth = 32e9,
    .peer_bandwidth = 32e9,
    .l2_bytes_per_clock = 1024,
    .achieved_rate = 0.60,
};

}  // namespace simulated
