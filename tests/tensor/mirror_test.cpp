#include <minima/tensor/mirror.h>
#include <minima/autograd/backward.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/transfer.h>

#include <gtest/gtest.h>

#include <random>

namespace minima::mirror_test {
namespace {

/// A model of the buffer: which sides are up to date, and the minimum number of copies.
struct Oracle {
  bool host_good = true, device_good = false;
  std::int64_t copies = 0;

  void want(bool host, bool device) {
    if (host && !host_good) ++copies, host_good = true;
    if (device && !device_good) ++copies, device_good = true;
  }
};

/// The device copy is in CPU memory here; when copies are needed does not depend on the device.
void access_at_random(Device device) {
  MirroredBuffer buffer({3, 4}, {.dtype = DType::int32, .device = device});
  Oracle oracle;
  std::mt19937 random(5);
  std::int32_t value = 0;
  const auto first = [](const Tensor& x) { return x.to_vector<std::int32_t>()[0]; };
  const auto fill = [](const Tensor& x, std::int32_t wanted) {
    detail::transfer(from_vector(std::vector<std::int32_t>(12, wanted), {3, 4}), x);
  };
  for (int access = 0; access < 10'000; ++access) {
    const unsigned kind = random() % 6;
    const bool on_host = kind % 2 == 0, writes = kind >= 2, keeps = kind < 4;
    if (keeps) oracle.want(on_host, !on_host);
    if (writes) {
      oracle.host_good = on_host;
      oracle.device_good = !on_host;
    }
    if (!writes) {
      ASSERT_EQ(first(on_host ? buffer.read_host() : buffer.read_device()), value) << "access " << access;
    } else {
      const Tensor side = kind == 2   ? buffer.write_host()
                          : kind == 3 ? buffer.write_device()
                          : kind == 4 ? buffer.overwrite_host()
                                      : buffer.overwrite_device();
      if (keeps) {
        ASSERT_EQ(first(side), value) << "access " << access;
      }
      fill(side, ++value);
    }
    const Coherence state = oracle.host_good == oracle.device_good ? Coherence::clean
                            : oracle.host_good                     ? Coherence::host_newer
                                                                   : Coherence::device_newer;
    ASSERT_EQ(buffer.state(), state) << "access " << access;
    ASSERT_EQ(buffer.copies(), oracle.copies) << "access " << access;
  }
  EXPECT_GT(oracle.copies, 2000);
  EXPECT_LT(oracle.copies, 8000);
}

TEST(MirroredBuffer, CopiesExactlyAsOftenAsNeeded) { access_at_random(Device::cpu()); }

TEST(GpuMirroredBuffer, CopiesExactlyAsOftenAsNeeded) {
  if (cuda::device_count() == 0) GTEST_SKIP() << cuda::unavailable_reason();
  access_at_random(Device::cuda());
}

TEST(MirroredBuffer, StartsWithZerosOnBothSides) {
  MirroredBuffer buffer(5);
  EXPECT_EQ(buffer.state(), Coherence::host_newer);
  EXPECT_EQ(buffer.read_device().to_vector<float>(), std::vector<float>(5, 0.0f));
  EXPECT_EQ(buffer.copies(), 1);
  EXPECT_EQ(buffer.read_host().to_vector<float>(), std::vector<float>(5, 0.0f));
  EXPECT_EQ(buffer.copies(), 1);
}

TEST(MirroredBuffer, AssignmentToAnAccessWritesElements) {
  MirroredBuffer buffer({2, 2});
  buffer.overwrite_host() = 3;
  buffer.write_host()[1] = tensor({5, 6});
  EXPECT_EQ(buffer.read_device().to_vector<float>(), (std::vector<float>{3, 3, 5, 6}));
  buffer.write_device() = buffer.read_device() * 2;
  EXPECT_EQ(buffer.read_host().to_vector<float>(), (std::vector<float>{6, 6, 10, 12}));
  EXPECT_EQ(buffer.copies(), 2);
}

TEST(MirroredBuffer, BackwardNoticesARefreshedSide) {
  MirroredBuffer weights(3);
  weights.overwrite_host() = 2;
  Tensor x = ones({3}).requires_grad(true);
  const Tensor before = sum(x * weights.read_device());
  weights.write_host()[0] = 7;
  const Tensor after = sum(x * weights.read_device());
  EXPECT_THROW(before.backward(), AutogradError) << "2 is gone, and 7 would be the wrong gradient";
  after.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{7, 2, 2}));
}

}  // namespace
}  // namespace minima::mirror_test
