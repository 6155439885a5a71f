#include <minima/tensor/device/no_gpu.h>

#include <gtest/gtest.h>

#include <string>

namespace minima::detail::no_gpu_test {
namespace {

TEST(NoGpu, AMissingDriverIsNamedWhateverElseIsWrong) {
  EXPECT_EQ(text_of({.needed_version = 13000, .error = "CUDA driver version is insufficient", .visible_devices = ""}),
            "no NVIDIA driver on this machine (libcuda.so.1 not found)");
}

TEST(NoGpu, AnOldDriverIsComparedWithWhatMinimaNeeds) {
  EXPECT_EQ(text_of({.has_driver = true,
                     .driver_version = 12040,
                     .needed_version = 13010,
                     .error = "CUDA driver version is insufficient",
                     .visible_devices = ""}),
            "the NVIDIA driver supports only CUDA 12.4, but minima needs CUDA 13.1; install driver 580 or newer");
}

TEST(NoGpu, ADriverOfTheSameMajorVersionIsNewEnough) {
  EXPECT_EQ(text_of({.has_driver = true,
                     .driver_version = 13000,
                     .needed_version = 13010,
                     .error = "system not yet initialized",
                     .visible_devices = {}}),
            "this process can use no GPU: system not yet initialized");
}

TEST(NoGpu, TheVariableThatHidesGpusIsQuoted) {
  for (const std::string value : {"", "7"})
    EXPECT_EQ(text_of({.has_driver = true, .driver_version = 13000, .needed_version = 13000, .visible_devices = value}),
              "CUDA_VISIBLE_DEVICES=\"" + value + "\" leaves this process no GPU; unset it or name one");
}

TEST(NoGpu, AnErrorOfCudaIsNotBlamedOnTheVariable) {
  NoGpu why{.has_driver = true, .driver_version = 13000, .needed_version = 13000, .error = "invalid device ordinal"};
  EXPECT_EQ(text_of(why), "this process can use no GPU: invalid device ordinal");
  why.visible_devices = "GPU-1234";
  EXPECT_EQ(text_of(why), "this process can use no GPU: invalid device ordinal (CUDA_VISIBLE_DEVICES=\"GPU-1234\")");
}

TEST(NoGpu, ADriverMayFindNone) {
  EXPECT_EQ(text_of({.has_driver = true, .driver_version = 13000, .needed_version = 13000}),
            "the NVIDIA driver finds no GPU");
}

}  // namespace
}  // namespace minima::detail::no_gpu_test
