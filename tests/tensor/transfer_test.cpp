#include <minima/tensor/transfer.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/default_device.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

namespace minima::transfer_test {
namespace {

/// Sets MINIMA_DEVICE and restores it.
class DeviceVariable {
 public:
  explicit DeviceVariable(const char* value) {
    if (const char* const before = std::getenv("MINIMA_DEVICE")) before_ = before;
    setenv("MINIMA_DEVICE", value, 1);
  }
  ~DeviceVariable() {
    if (before_) setenv("MINIMA_DEVICE", before_->c_str(), 1);
    else unsetenv("MINIMA_DEVICE");
  }

 private:
  std::optional<std::string> before_;
};

template <class E, class Call>
std::string text_of(const Call& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(DefaultDevice, FollowsTheVariableAndOtherwiseWhatIsThere) {
  {
    const DeviceVariable variable("cpu");
    EXPECT_EQ(default_device(), Device::cpu());
  }
  {
    const DeviceVariable variable("");
    EXPECT_EQ(default_device(), cuda::device_count() > 0 ? Device::cuda() : Device::cpu());
  }
}

TEST(DefaultDevice, SaysWhatAMistakenValueMayBe) {
  for (const char* wrong : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1 ", "cuda:999999999999", "CPU"}) {
    const DeviceVariable variable(wrong);
    const std::string text = text_of<ValueError>([] { default_device(); });
    EXPECT_NE(text.find("use cpu, cuda or cuda:N"), std::string::npos) << wrong << ": " << text;
    EXPECT_NE(text.find("MINIMA_DEVICE"), std::string::npos) << wrong << ": " << text;
  }
}

TEST(DefaultDevice, HasAReason) {
  {
    const DeviceVariable variable("cpu");
    EXPECT_EQ(default_device_reason(), "MINIMA_DEVICE=cpu");
  }
  const DeviceVariable variable("");
  const std::string reason = default_device_reason();
  if (cuda::device_count() == 0) EXPECT_EQ(reason, "no GPU: " + cuda::unavailable_reason());
  else EXPECT_NE(reason.find("GPU"), std::string::npos) << reason;
}

TEST(DefaultDevice, IsDescribedInOneLine) {
  const DeviceVariable variable("cpu");
  const std::string cpu = describe_device(Device::cpu());
  const std::string start = "cpu, " + std::to_string(num_threads()) + (num_threads() == 1 ? " thread; " : " threads; ");
  EXPECT_TRUE(cpu.starts_with(start)) << cpu;
  EXPECT_EQ(cpu.find('\n'), std::string::npos) << cpu;
  if (cuda::device_count() == 0) {
    EXPECT_EQ(cpu, start + "no GPU: " + cuda::unavailable_reason());
    EXPECT_NE(text_of<DeviceError>([] { describe_device(Device::cuda()); }).find("cuda:0"), std::string::npos);
  } else {
    EXPECT_NE(cpu.find("(MINIMA_DEVICE=cpu)"), std::string::npos) << cpu;
    EXPECT_TRUE(describe_device(Device::cuda()).starts_with("cuda:0, " + cuda::properties().name));
  }
}

TEST(DefaultDevice, AMissingGpuHasAReason) {
  const std::string missing = "cuda:" + std::to_string(cuda::device_count());
  const std::string text = text_of<DeviceError>([&] { parse_device(missing); });
  EXPECT_NE(text.find(missing), std::string::npos) << text;
}

TEST(Transfer, ToTheSameDeviceIsTheSameTensor) {
  const Tensor x = tensor<float>({1, 2, 3});
  EXPECT_TRUE(x.to(Device::cpu()).is_same(x));
  EXPECT_TRUE(detail::on_host(x).is_same(x));
  EXPECT_TRUE(detail::on_device(x, Device::cpu()).is_same(x));
}

TEST(Transfer, ToAMissingGpuIsAnErrorWithTheReason) {
  const Device missing = Device::cuda(15);
  const Tensor x = tensor<float>({1, 2, 3});
  const std::string text = text_of<DeviceError>([&] { x.to(missing); });
  EXPECT_TRUE(text.starts_with("cuda:15: ")) << text;
  EXPECT_NE(text.find(cuda::unavailable_reason()), std::string::npos) << text;
  EXPECT_NE(text_of<DeviceError>([&] { empty({2}, {.device = missing}); }).find("cuda:15: "), std::string::npos);
  EXPECT_NE(text_of<DeviceError>([&] { from_vector<float>({1}, {1}, missing); }).find("cuda:15: "), std::string::npos);
}

TEST(Transfer, CopiesBytesBetweenEqualLayoutsOnly) {
  const Tensor x = tensor<float>({1, 2, 3, 4}), y = empty({4}), wrong = empty({2, 2});
  detail::transfer(x, y);
  EXPECT_EQ(y.to_vector<float>(), x.to_vector<float>());
  EXPECT_THROW(detail::transfer(x, wrong), ShapeError);
}

TEST(Pinned, IsOrdinaryMemoryWhereThereIsNoGpu) {
  const Tensor x = empty_pinned(Layout::contiguous({3, 5}), DType::float64);
  EXPECT_EQ(x.device(), Device::cpu());
  EXPECT_EQ(x.shape(), Shape({3, 5}));
  EXPECT_EQ(x.dtype(), DType::float64);
  EXPECT_EQ(is_pinned(x), cuda::device_count() > 0);
  EXPECT_EQ(pinned_memory_stats().allocated > 0, cuda::device_count() > 0);
}

}  // namespace
}  // namespace minima::transfer_test
