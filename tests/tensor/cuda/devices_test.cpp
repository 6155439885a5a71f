#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/device/stream.h>

#include <gtest/gtest.h>

namespace minima::devices_test {
namespace {

TEST(Devices, NoGpuHasAReasonAndAGpuHasNone) {
  EXPECT_EQ(cuda::device_count() == 0, !cuda::unavailable_reason().empty());
#ifdef MINIMA_HAVE_CUDA
  EXPECT_TRUE(cuda::is_built());
  EXPECT_GE(cuda::runtime_version(), 13000);
#else
  EXPECT_FALSE(cuda::is_built());
  EXPECT_EQ(cuda::device_count(), 0);
#endif
}

TEST(Devices, AskingForAMissingGpuSaysWhy) {
  const int missing = cuda::device_count();
  const auto expect_reason = [&](const auto& call) {
    try {
      call();
      ADD_FAILURE() << "nothing thrown";
    } catch (const DeviceError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("cuda:" + std::to_string(missing)), std::string::npos) << text;
      EXPECT_NE(text.find(cuda::unavailable_reason()), std::string::npos) << text;
    }
  };
  expect_reason([&] { cuda::properties(missing); });
  expect_reason([&] { Stream(Device::cuda(missing)); });
  expect_reason([&] { current_stream(Device::cuda(missing)); });
  expect_reason([&] { synchronize(Device::cuda(missing)); });
}

TEST(Devices, SynchronizingTheCpuDoesNothing) { EXPECT_NO_THROW(synchronize(Device::cpu())); }

}  // namespace
}  // namespace minima::devices_test
