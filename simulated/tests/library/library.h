#pragma once

#include "simulated/executor.h"
#include "simulated/plans.h"
#include "simulated/simulation.h"

#include <minima/tensor/cuda/status.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/cuda/launch.cuh>

#include <gtest/gtest.h>

#include <cstdlib>

namespace minima {

inline const Device first_gpu = Device::cuda(0), second_gpu = Device::cuda(1);

/// minima's own runtime on two simulated H100. The library remembers devices and streams, so the machine lives as long
/// as the process, and a test repeats what it does for many orders of execution.
class LibraryOnSimulatedGpus : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("MINIMA_SIMULATED_GPUS", "2xH100", 1); }
  ~LibraryOnSimulatedGpus() override { simulated::forget_plans(); }

  /// Calls body() under many seeds; body returns whether all is well. The number of seeds where it is not.
  template <class Body> static int failures(const Body& body) {
    int count = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      simulated::reseed(seed);
      count += !body();
      for (const Device device : {first_gpu, second_gpu}) synchronize(device);
    }
    return count;
  }
};

inline void store_kernel(int* to, int value) { *to = value; }
inline void load_kernel(int* to, const int* from) { *to = *from; }

/// Launches on the thread's current stream of the device, as operators do.
template <class... Parameters>
void launch_on(Device device, void (*kernel)(Parameters...), std::type_identity_t<Parameters>... values) {
  simulated::register_kernel("test", kernel);
  const DeviceGuard guard(device);
  cuda::launch("test", {dim3(1), dim3(1)}, kernel, values...);
}

/// Pinned ints, which all devices reach; never freed.
inline int* pinned_ints(std::size_t count) {
  void* memory = nullptr;
  MINIMA_CUDA_CHECK(cudaHostAlloc(&memory, count * sizeof(int), cudaHostAllocPortable));
  for (std::size_t i = 0; i < count; ++i) static_cast<int*>(memory)[i] = 0;
  return static_cast<int*>(memory);
}

}  // namespace minima
