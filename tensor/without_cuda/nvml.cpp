#include <minima/tensor/cuda/nvml.h>

#include <minima/tensor/cuda/devices.h>

#include <string>

namespace minima::cuda {

Sensors sensors(int) { return {.reason = unavailable_reason()}; }
std::string driver_release() { return ""; }

}  // namespace minima::cuda
