#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>

namespace minima::cuda {

/// Properties of a GPU, as the driver reports them.
struct DeviceProperties {
  std::string name;          ///< "NVIDIA H200"
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  std::int64_t memory = 0;            ///< bytes
  std::int64_t l2_cache = 0;          ///< bytes
  std::int64_t shared_per_block = 0;  ///< bytes of shared memory that a block may opt in to
  int clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  std::string pci_bus;  ///< "0000:17:00.0"
};

/// True if this build of minima has CUDA support, whether or not there is a GPU.
MINIMA_API bool is_built();
/// The architectures that minima's kernels are built for, as CMAKE_CUDA_ARCHITECTURES names them and separated by
/// spaces: "80-real 90". Empty in builds without CUDA. The first use of a GPU that cannot run them is a DeviceError.
MINIMA_API const char* architectures();
/// The number of GPUs this process can use: 0 without a GPU, without a driver, and in builds without CUDA.
MINIMA_API int device_count();
/// Why `device_count()` is 0, in one line; empty otherwise.
MINIMA_API const std::string& unavailable_reason();
/// Throws DeviceError, naming the reason, if there is no such GPU.
MINIMA_API const DeviceProperties& properties(int device = 0);
/// The CUDA version of the runtime linked into minima, and the one that the installed driver supports, as
/// major * 1000 + minor * 10: 13000 is CUDA 13.0. 0 if there is none.
MINIMA_API int runtime_version();
MINIMA_API int driver_version();
/// Whether kernels and copies on one GPU can reach the memory of another directly, over NVLink or PCIe. False for GPUs
/// that this process cannot use, and for a GPU and itself.
MINIMA_API bool can_access_peer(int from, int to);

}  // namespace minima::cuda
