#include <minima/inference/batcher.h>
#include <minima/inference/parallel_map.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/device/stream.h>

#include <gtest/gtest.h>

#include <set>
#include <tuple>

// Batches and elements on streams of a GPU; skipped without one.

namespace minima::inference::gpu_test {
namespace {

class GpuInference : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::unavailable_reason();
  }
};

TEST_F(GpuInference, EachElementRunsOnAStreamInTurn) {
  const Tensor x = ones({1 << 16}, {.device = Device::cuda()});
  const std::vector<float> factors{1, 2, 3, 4};
  std::vector<int> streams;
  const auto results = parallel_map(factors,
                                    [&](float factor) {
                                      streams.push_back(current_stream().id());
                                      return std::tuple(x * factor, factor);
                                    },
                                    {.device = Device::cuda(), .streams = 2});
  EXPECT_EQ(streams[0], streams[2]);
  EXPECT_EQ(streams[1], streams[3]);
  EXPECT_NE(streams[0], streams[1]);
  for (const auto& [y, factor] : results) EXPECT_EQ(y.to_vector<float>(), std::vector<float>(1 << 16, factor));
}

TEST_F(GpuInference, ResultsMayBeFreedOnTheCallersStream) {
  const Tensor x = ones({1 << 20}, {.device = Device::cuda()});
  const std::vector<float> factors{1, 2, 3};
  for (int round = 0; round < 20; ++round) {
    Tensor total = zeros({1 << 20}, {.device = Device::cuda()});
    for (const Tensor& y : parallel_map(factors, [&](float factor) { return x * factor; }, {.device = Device::cuda()}))
      total = total + y;
    EXPECT_EQ(total.to_vector<float>(), std::vector<float>(1 << 20, 6));
  }
}

TEST_F(GpuInference, BatcherCopiesToTheGpuAndBack) {
  std::set<int> streams;
  Batcher batcher(
      [&](const Tensor& x) {
        EXPECT_TRUE(x.device().is_cuda());
        streams.insert(current_stream().id());
        return x * 2;
      },
      {.max_batch = 2, .max_delay = 60, .device = Device::cuda()});
  const Reply a = batcher.submit(ones({1, 4})), b = batcher.submit(full({1, 4}, 3.0f));
  EXPECT_EQ(a.get().to_vector<float>(), std::vector<float>(4, 2));
  EXPECT_TRUE(b.get().device().is_cpu());
  EXPECT_EQ(b.get().to_vector<float>(), std::vector<float>(4, 6));
  batcher.close();
  EXPECT_FALSE(streams.contains(current_stream().id()));
}

}  // namespace
}  // namespace minima::inference::gpu_test
