#include "simulated/machine/gpus/hopper.h"

namespace simulated {

// H200 SXM 141 GB.
//
// Data sheet "NVIDIA H200 Tensor Core GPU" (2024), column H200 SXM: 4.8 TB/s; six stacks of 1,024 bits. nvidia-smi:
// 143,771 MiB, memory clock 3,201 MHz, which would give 4.92 TB/s; the data sheet's figure is used.
constinit const GpuKind h200 =
    with_memory(hopper, "H200", "NVIDIA H200", std::size_t{143771} << 20, 4.8e12, 3'201'000, 6144);

}  // namespace simulated
