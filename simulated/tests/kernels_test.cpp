#include "simulated/tests/simulated.h"

#include <stdexcept>

namespace simulated::kernels_test {
namespace {

class SimulatedKernels : public Simulated {};

cudaError_t start(dim3 grid, dim3 block, std::size_t shared = 0) {
  register_kernel("store", store_kernel);
  int* x = device_ints(1);
  int value = 1;
  void* arguments[] = {&x, &value};
  return cudaLaunchKernel(reinterpret_cast<const void*>(store_kernel), grid, block, arguments, shared, nullptr);
}

// Programming Guide, "Technical Specifications per Compute Capability".
TEST_F(SimulatedKernels, HaveLimitedGridsAndBlocks) {
  EXPECT_EQ(start(dim3(1), dim3(1024)), cudaSuccess);
  EXPECT_EQ(start(dim3(1), dim3(1025)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(start(dim3(1), dim3(32, 33)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(start(dim3(0), dim3(1)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(start(dim3(1, 65536), dim3(1)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(start(dim3(1), dim3(1, 1, 65)), cudaErrorInvalidConfiguration);
}

// Programming Guide, "Shared Memory" of the compute capabilities: more than 48 KB takes cudaFuncSetAttribute.
TEST_F(SimulatedKernels, TakeMoreSharedMemoryAfterOptingIn) {
  const void* const kernel = reinterpret_cast<const void*>(store_kernel);
  EXPECT_EQ(start(dim3(1), dim3(1), 48 << 10), cudaSuccess);
  EXPECT_EQ(start(dim3(1), dim3(1), 49 << 10), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10),
            cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
  EXPECT_EQ(start(dim3(1), dim3(1), 100 << 10), cudaSuccess);
  EXPECT_CUDA(cudaSetDevice(1));
  EXPECT_EQ(start(dim3(1), dim3(1), 100 << 10), cudaErrorInvalidValue) << "each device asks for itself";
}

// Programming Guide, "Lazy Loading": a kernel's code needs memory at its first launch.
TEST_F(SimulatedKernels, TheFirstLaunchNeedsMemory) {
  int* const x = device_ints(1);
  std::size_t free = 0, total = 0;
  EXPECT_CUDA(cudaMemGetInfo(&free, &total));
  void* rest = nullptr;
  EXPECT_CUDA(cudaMalloc(&rest, free));
  EXPECT_EQ(launch(nullptr, store_kernel, x, 1), cudaErrorMemoryAllocation);
  EXPECT_CUDA(cudaFree(rest));
  EXPECT_CUDA(launch(nullptr, store_kernel, x, 1));
  EXPECT_CUDA(cudaMalloc(&rest, free - (1 << 20)));
  EXPECT_CUDA(launch(nullptr, store_kernel, x, 1));
}

// Programming Guide, "Kernels": arguments are those of the moment of the launch.
TEST_F(SimulatedKernels, CopyTheirArguments) {
  EXPECT_EQ(outcomes([] {
              register_kernel("store", store_kernel);
              int* x = device_ints(1);
              int value = 7;
              void* arguments[] = {&x, &value};
              EXPECT_CUDA(cudaLaunchKernel(reinterpret_cast<const void*>(store_kernel), dim3(1), dim3(1), arguments, 0,
                                           nullptr));
              value = 9;
              return value_of(x);
            }),
            std::set<int>{7});
}

// Driver API, "Peer Context Memory Access": a kernel does not reach another device's memory.
TEST_F(SimulatedKernels, OnAnotherDevicesMemoryAreAnIllegalAddress) {
  int* const x = device_ints(1);
  EXPECT_CUDA(cudaSetDevice(1));
  static_cast<void>(launch(nullptr, store_kernel, x, 1));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

// A program and a shared library that link cudart_static each have a runtime: each knows its own kernels and its own
// last error ("in the same instance of the CUDA Runtime library", cudaGetLastError).
void library_kernel(int* x) { *x = 1; }
TEST_F(SimulatedKernels, OfAnotherRuntimeAreUnknown) {
  constexpr RuntimeId library = 1;
  register_kernel("library", library_kernel, library);
  int* x = device_ints(1);
  void* arguments[] = {&x};
  const auto start_it = [&] {
    return cudaLaunchKernel(reinterpret_cast<const void*>(library_kernel), dim3(1), dim3(1), arguments, 0, nullptr);
  };
  EXPECT_EQ(start_it(), cudaErrorInvalidDeviceFunction);
  {
    const RuntimeScope scope(library);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_CUDA(start_it());
  }
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(value_of(x), 1);
}

/// Runs the body as often as there are threads, and can find fault with a kernel.
class Counting final : public Executor {
 public:
  void run(const std::string& kernel, const Launch& launch, const std::function<void()>& body) override {
    if (kernel == "faulty") throw std::runtime_error("a divergent barrier");
    for (unsigned thread = 0; thread < launch.grid.x * launch.block.x; ++thread) body();
  }
};
void count_kernel(int* x) { ++*x; }

TEST_F(SimulatedKernels, RunInTheExecutor) {
  Counting executor;
  set_executor(&executor);
  int* x = device_ints(1);
  EXPECT_CUDA(cudaMemset(x, 0, 4));
  void* arguments[] = {&x};
  register_kernel("count", count_kernel);
  EXPECT_CUDA(cudaLaunchKernel(reinterpret_cast<const void*>(count_kernel), dim3(3), dim3(32), arguments, 0, nullptr));
  EXPECT_EQ(value_of(x), 96);
  register_kernel("faulty", count_kernel);
  static_cast<void>(
      cudaLaunchKernel(reinterpret_cast<const void*>(count_kernel), dim3(3), dim3(32), arguments, 0, nullptr));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure) << "what an executor throws is a failed launch";
  set_executor(nullptr);
}

}  // namespace
}  // namespace simulated::kernels_test
