#pragma once

#include <c10/core/Device.h>

#include <cstdint>

/// GPUs, as LibTorch sees them: without CUDA in minima's build there are none.
namespace torch::cuda {

c10::DeviceIndex device_count();
bool is_available();
bool cudnn_is_available();
/// The generator of the current GPU.
void manual_seed(std::uint64_t seed);
void manual_seed_all(std::uint64_t seed);
void synchronize(std::int64_t device_index = -1);

}  // namespace torch::cuda
