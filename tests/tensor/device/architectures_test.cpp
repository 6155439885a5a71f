#include <minima/tensor/device/architectures.h>

#include "tests/support/expect_error.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/devices.h>

#include <gtest/gtest.h>

#include <utility>

namespace minima::architectures_test {
namespace {

using cuda::kernels_run_on;

TEST(Architectures, MachineCodeRunsOnLaterMinorVersionsOfItsMajorVersion) {
  EXPECT_TRUE(kernels_run_on("80-real", 8, 0));
  EXPECT_TRUE(kernels_run_on("80-real", 8, 9));
  EXPECT_FALSE(kernels_run_on("86-real", 8, 0));
  EXPECT_FALSE(kernels_run_on("80-real", 9, 0));
  EXPECT_FALSE(kernels_run_on("90-real", 8, 9));
}

TEST(Architectures, PtxRunsOnEveryLaterVersion) {
  EXPECT_TRUE(kernels_run_on("80-virtual", 8, 0));
  EXPECT_TRUE(kernels_run_on("80-virtual", 12, 1));
  EXPECT_TRUE(kernels_run_on("80", 9, 0));
  EXPECT_FALSE(kernels_run_on("80", 7, 5));
  EXPECT_FALSE(kernels_run_on("90-virtual", 8, 9));
}

TEST(Architectures, SpecificCodeRunsOnItsGpuOrFamilyAlone) {
  for (const char* form : {"90a", "90a-real", "90a-virtual"}) {
    EXPECT_TRUE(kernels_run_on(form, 9, 0)) << form;
    EXPECT_FALSE(kernels_run_on(form, 10, 0)) << form;
  }
  for (const char* form : {"100f", "100f-real", "100f-virtual"}) {
    EXPECT_TRUE(kernels_run_on(form, 10, 0)) << form;
    EXPECT_TRUE(kernels_run_on(form, 10, 3)) << form;
    EXPECT_FALSE(kernels_run_on(form, 12, 0)) << form;
    EXPECT_FALSE(kernels_run_on(form, 9, 0)) << form;
  }
}

TEST(Architectures, OneFittingEntryOfAListSuffices) {
  const char* const release = "80-real 86-real 89-real 90-real 100-real 120";
  for (const auto& [major, minor] :
       {std::pair{8, 0}, {8, 6}, {8, 9}, {9, 0}, {10, 0}, {10, 3}, {12, 0}, {12, 1}, {13, 0}})
    EXPECT_TRUE(kernels_run_on(release, major, minor)) << major << "." << minor;
  EXPECT_FALSE(kernels_run_on(release, 7, 5));
  EXPECT_FALSE(kernels_run_on(release, 11, 0));
  EXPECT_FALSE(kernels_run_on("", 9, 0));
}

TEST(Architectures, AGpuWithoutKernelsIsNamedWithTheOptionThatBuildsThem) {
  EXPECT_NO_THROW(cuda::expect_kernels(Device::cuda(1), "NVIDIA GeForce RTX 4090", 8, 9, "80"));
  test::expect_error<DeviceError>(
      [] { cuda::expect_kernels(Device::cuda(1), "NVIDIA GeForce RTX 4090", 8, 9, "75-real 90"); },
      "cuda:1: NVIDIA GeForce RTX 4090 has compute capability 8.9, but minima's kernels are built for architectures "
      "75-real 90; build minima with -D CMAKE_CUDA_ARCHITECTURES=89");
  test::expect_error<DeviceError>(
      [] { cuda::expect_kernels(Device::cuda(), "Tesla V100", 7, 0, "80"); },
      "cuda:0: Tesla V100 has compute capability 7.0, but minima's kernels are built for architectures 80; "
      "CUDA 13 supports capability 7.5 and later, so use another GPU or MINIMA_DEVICE=cpu");
}

TEST(Architectures, OfThisBuildFitSomeGpu) {
  bool fits = false;
  for (int capability = 75; capability < 200; ++capability)
    fits = fits || kernels_run_on(cuda::architectures(), capability / 10, capability % 10);
  EXPECT_EQ(fits, cuda::is_built()) << cuda::architectures();
}

}  // namespace
}  // namespace minima::architectures_test
