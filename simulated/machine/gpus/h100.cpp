#include "simulated/machine/gpus/hopper.h"

namespace simulated {

// H100 SXM5 80 GB.
//
// Data sheet "NVIDIA H100 Tensor Core GPU" (2023), column H100 SXM: 3.35 TB/s. White paper "NVIDIA H100 Tensor Core GPU
// Architecture" (2022): 5,120-bit HBM3. nvidia-smi: 81,559 MiB, memory clock 2,619 MHz, from which the bandwidth
// follows.
constinit const GpuKind h100 =
    with_memory(hopper, "H100", "NVIDIA H100 80GB HBM3", std::size_t{81559} << 20, 3.35e12, 2'619'000, 5120);

}  // namespace simulated
