#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

// CUDA kernels run on the CPU: every thread of a block is a fiber, and blocks run one after the other. cuda.h has what
// a kernel may use. In builds with the thread sanitizer every block is an OS thread, and only barriers and fences order
// accesses, so the sanitizer finds races.

namespace simulated::simt {

/// The index of a thread or block, or a size.
struct Index {
  unsigned x = 1, y = 1, z = 1;
};

/// A GPU would not run the kernel as intended: a divergent barrier, a misaligned access, an index that a kernel
/// refused.
class KernelFault : public std::runtime_error {
 public:
  KernelFault(cudaError_t error, const std::string& text) : std::runtime_error(text), error_(error) {}
  /// A GPU's runtime would return this.
  cudaError_t error() const { return error_; }

 private:
  cudaError_t error_;
};

/// 0 runs threads and blocks in order; any other number shuffles both, and again after every barrier. A deterministic
/// kernel must return the same bits for all seeds.
void set_seed(std::uint64_t seed);
/// How often each kernel has run in this process.
std::map<std::string, std::int64_t> runs();

/// Runs body() once for each thread of each block. Throws KernelFault.
void run(const char* kernel, Index grid, Index block, std::size_t shared_bytes, const std::function<void()>& body);

}  // namespace simulated::simt
