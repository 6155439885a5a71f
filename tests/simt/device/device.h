#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace minima::test {

/// While one exists, operators run their CPU kernels.
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

/// How often values were read back from the device; each read would synchronise with a GPU.
std::int64_t host_reads();

}  // namespace minima::test
