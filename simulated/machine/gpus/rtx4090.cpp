#include "simulated/machine/gpu_kind.h"

namespace simulated {

// GeForce RTX 4090, announced in September 2022.
//
// White paper "NVIDIA Ada GPU Architecture" (2022), appendix on the RTX 4090: 128 multiprocessors, 2,520 MHz, 384-bit
// GDDR6X at 21 Gb/s, 1,008 GB/s, 72 MB of L2, FP32 82.6 TFLOPS, TF32 82.6 and BF16 tensor 165.2 TFLOPS with sums in
// float32; PCIe Gen4 x16. The rates follow from 128 × 256 and 128 × 512 operations at 2.52 GHz, float64 at 1/64 of
// float32. nvidia-smi: 24,564 MiB, memory clock 10,501 MHz. It also names a highest clock beyond 3 GHz, which is not
// kept; the boost clock stands here. Threads, blocks and shared memory: CUDA C++ Programming Guide 13.0 (2025),
// "Technical Specifications per Compute Capability", 8.9.
//
// Assumed: an L2 cache of 2,048 bytes per clock; products reach 0.90 of the peak, since 450 W keep the clock.
constinit const GpuKind rtx4090{
    .key = "RTX4090",
    .name = "NVIDIA GeForce RTX 4090",
    .major = 8,
    .minor = 9,
    .multiprocessors = 128,
    .threads_per_multiprocessor = 1536,
    .blocks_per_multiprocessor = 24,
    .shared_per_multiprocessor = std::size_t{100} << 10,
    .shared_per_block = std::size_t{99} << 10,
    .memory = std::size_t{24564} << 20,
    .l2_cache = std::size_t{72} << 20,
    .clock_khz = 2'520'000,
    .memory_clock_khz = 10'501'000,
    .memory_bus_bits = 384,
    .bandwidth = 1.008e12,
    .peak_float64 = 1.29e12,
    .peak_float32 = 82.6e12,
    .peak_tf32 = 82.6e12,
    .peak_bfloat16 = 165.2e12,
    .host_bandwidth = 32e9,
    .peer_bandwidth = 32e9,
    .l2_bytes_per_clock = 2048,
    .achieved_rate = 0.90,
};

}  // namespace simulated
