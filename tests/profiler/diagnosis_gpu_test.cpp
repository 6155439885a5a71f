#include <minima/minima.h>
#include <minima/profiler/profile.h>

#include <gtest/gtest.h>

// For each diagnosis that needs a GPU a program whose bottleneck it is.

namespace minima::profiler::diagnosis_gpu_test {
namespace {

class GpuDiagnosis : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::unavailable_reason();
  }
  template <class Step>
  static Report report_of(const Step& step) {
    Profile profile({.skip = 3, .steps = 10});
    do step();
    while (profile.step());
    return profile.report();
  }
  const Device device_ = Device::cuda();
};

/// One kernel and one copy: each further launch would be a gap that is the host's.
TEST_F(GpuDiagnosis, OfALossReadEachStepIsSynchronization) {
  const NoGrad guard;
  const Tensor a = randn({16, 16}, {.device = device_});
  const Report report = report_of([&] { static_cast<void>(sum(a).item<float>()); });
  EXPECT_EQ(report.bottleneck(), Bottleneck::synchronization) << report.text();
}

TEST_F(GpuDiagnosis, OfPageableCopiesIsTransfers) {
  const Tensor x = randn({4 << 20});
  const Report report = report_of([&] { static_cast<void>(x.to(device_)); });
  EXPECT_EQ(report.bottleneck(), Bottleneck::transfers) << report.text();
  EXPECT_DOUBLE_EQ(report.to_device.bytes, 4.0 * (4 << 20));
  EXPECT_GT(report.to_device.seconds, 0);
  EXPECT_EQ(report.from_device.bytes, 0);
}

TEST_F(GpuDiagnosis, TransfersHaveADirection) {
  const Tensor x = randn({1 << 20}, {.device = device_});
  const Report report = report_of([&] { static_cast<void>(x.to(Device::cpu())); });
  EXPECT_DOUBLE_EQ(report.from_device.bytes, 4.0 * (1 << 20));
  EXPECT_EQ(report.to_device.bytes, 0);
}

}  // namespace
}  // namespace minima::profiler::diagnosis_gpu_test
