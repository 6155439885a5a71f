#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace minima::test {

/// While one lives, operators run their CPU kernels, as without tests/simt.
class OnCpu {
 public:
  OnCpu();
  ~OnCpu();
  OnCpu(const OnCpu&) = delete;

 private:
  bool before_;
};

/// The operators that had no CUDA kernel and ran on the CPU instead.
const std::set<std::string>& operators_without_kernel();

/// How often values were read back from the device, which a GPU would have been waited for.
std::int64_t host_reads();

}  // namespace minima::test
