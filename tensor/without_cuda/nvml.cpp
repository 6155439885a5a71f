#include <minima/tensor/cuda/nvml.h>

#include <minima/tensor/cuda/devices.h>

namespace minima::cuda {

Sensors sensors(int) { return {.reason = unavailable_reason()}; }

}  // namespace minima::cuda
