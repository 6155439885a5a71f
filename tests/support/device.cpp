#include "tests/support/device.h"

#include <minima/tensor/cuda/devices.h>

#include <cstdlib>

namespace minima::test {

Device test_device() {
  static const char* const wanted = std::getenv("MINIMA_TEST_DEVICE");
  return wanted && std::string(wanted) == "cuda" ? Device::cuda() : Device::cpu();
}

bool runs_cuda_kernels() { return test_device().is_cuda(); }

std::string why_no_test_device() {
  return test_device().is_cpu() || cuda::device_count() > 0 ? "" : "no GPU: " + cuda::unavailable_reason();
}

}  // namespace minima::test
