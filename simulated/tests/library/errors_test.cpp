#include "simulated/tests/library/library.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace minima::errors_test {
namespace {

class SimulatedLibraryErrors : public LibraryOnSimulatedGpus {
 protected:
  void TearDown() override { empty_cache(first_gpu); }  // idle memory that fills the device is this suite's alone
};

/// Ends the process with 1 if a kernel that fails so breaks minima's use of GPUs.
[[noreturn]] void exit_after(cudaError_t error) {
  int* const host = pinned_ints(1);
  simulated::fail_kernel(error);
  try {
    launch_on(first_gpu, store_kernel, host, 7);
    synchronize(first_gpu);
  } catch (const Error& thrown) {
    std::fputs(thrown.what(), stderr);
  }
  std::exit(cuda::is_broken());
}

TEST_F(SimulatedLibraryErrors, AFailedKernelEndsAllWork) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const cudaError_t error : {cudaErrorIllegalAddress, cudaErrorAssert, cudaErrorLaunchFailure})
    EXPECT_EXIT(exit_after(error), ::testing::ExitedWithCode(1), cudaGetErrorName(error));
}

TEST_F(SimulatedLibraryErrors, RareErrorsEndAllWorkToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const cudaError_t error : {cudaErrorContained, cudaErrorTensorMemoryLeak, cudaErrorMpsClientTerminated})
    EXPECT_EXIT(exit_after(error), ::testing::ExitedWithCode(1), cudaGetErrorName(error));
}

/// A full GPU: the allocator gives idle memory back and the request succeeds, or names what was asked for.
TEST_F(SimulatedLibraryErrors, AFullDeviceIsAnOutOfMemoryError) {
  const std::int64_t gib = std::int64_t{1} << 28;  // of float32
  EXPECT_THROW(empty({100 * gib}, {.device = first_gpu}), OutOfMemoryError);
  {
    const Tensor most = empty({60 * gib}, {.device = first_gpu});
    EXPECT_THROW(empty({30 * gib}, {.device = first_gpu}), OutOfMemoryError);
  }
  EXPECT_NO_THROW(empty({70 * gib}, {.device = first_gpu}));
}

TEST_F(SimulatedLibraryErrors, AKernelIsLoadedAlthoughIdleMemoryFillsTheDevice) {
  int* const host = pinned_ints(1);
  {
    std::vector<Tensor> all;
    try {
      for (;;) all.push_back(empty({1 << 20}, {.device = first_gpu}));
    } catch (const OutOfMemoryError&) {}
    EXPECT_GT(all.size(), 1000u);
  }
  launch_on(first_gpu, store_kernel, host, 7);
  synchronize(first_gpu);
  EXPECT_EQ(*host, 7);
}

}  // namespace
}  // namespace minima::errors_test
