#include "tests/support/device.h"

#include <minima/tensor/cuda/devices.h>

#include <cstdlib>
#include <string>

namespace minima::test {

Device test_device() {
  static const Device device = [] {
    const char* const variable = std::getenv("MINIMA_TEST_DEVICE");
    const std::string wanted = variable ? variable : "";
    if (wanted == "cuda:1") return Device::cuda(1);
    return wanted == "cuda" ? Device::cuda() : Device::cpu();
  }();
  return device;
}

bool runs_cuda_kernels() { return test_device().is_cuda(); }

bool tests_briefly() {
  static const char* const variable = std::getenv("MINIMA_TEST_BRIEFLY");
  return variable && variable == std::string("1");
}

std::string why_no_test_device() {
  if (test_device().is_cpu() || cuda::device_count() > test_device().index) return "";
  return "no GPU: " + (cuda::device_count() == 0 ? cuda::unavailable_reason() : "there is no second one");
}

}  // namespace minima::test
