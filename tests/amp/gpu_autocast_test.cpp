#include "tests/support/gpu_test.h"

#include <minima/amp/autocast.h>
#include <minima/autograd/backward.h>
#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/mode.h>
#include <minima/ops/autocast/cast_cache.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/storage/allocator.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

// A region on a GPU converts in one launch what the last one with the same first weight has used.

namespace minima::amp::gpu_autocast_test {
namespace {

using detail::CastCache;

constexpr Device gpu = Device::cuda();

class GpuAutocast : public test::GpuTest {};

Tensor weight(const Shape& shape, Device device = gpu) { return randn(shape, {.device = device}).requires_grad(true); }
std::size_t cached() { return detail::mode().autocast->cache->size(); }

/// Three layers of 8 without biases.
struct Net {
  Tensor a = weight({8, 8}), b = weight({8, 8}), c = weight({8, 8});

  Tensor operator()(const Tensor& x) const { return linear(linear(linear(x, a), b), c); }
  std::vector<Tensor> gradients(const Tensor& x, const AutocastOptions& options = {}) const {
    for (const Tensor& w : {a, b, c}) w.zero_grad();
    Tensor loss;
    {
      const Autocast guard(DeviceType::cuda, options);
      loss = sum((*this)(x));
    }
    loss.backward();
    return {clone(a.grad()), clone(b.grad()), clone(c.grad())};
  }
};

void expect_identical(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(identical(got[i], expected[i])) << "weight " << i;
}

TEST_F(GpuAutocast, ConvertsTheWeightsOfTheLastRegionAtOnce) {
  const Net net;
  const Tensor x = randn({4, 8}, {.device = gpu});
  for (const std::size_t ahead : {1, 3}) {
    const Autocast guard(DeviceType::cuda);
    const Tensor h = linear(x, net.a);
    EXPECT_EQ(cached(), ahead);
    linear(linear(h, net.b), net.c);
    EXPECT_EQ(cached(), 3u);
  }
}

TEST_F(GpuAutocast, ForgetsWhatTheLastRegionDidNotUse) {
  const Net net;
  const Tensor x = randn({4, 8}, {.device = gpu});
  net.gradients(x);
  for (const std::size_t ahead : {3, 1}) {
    const Autocast guard(DeviceType::cuda);
    linear(x, net.a);
    EXPECT_EQ(cached(), ahead);
  }
}

TEST_F(GpuAutocast, RegionsOfTwoNetworksTakeTurns) {
  const Net one, two;
  const Tensor x = randn({4, 8}, {.device = gpu});
  for (const bool known : {false, true})
    for (const Net* net : {&one, &two}) {
      const Autocast guard(DeviceType::cuda);
      const Tensor h = linear(x, net->a);
      EXPECT_EQ(cached(), known ? 3u : 1u);
      linear(linear(h, net->b), net->c);
    }
}

TEST_F(GpuAutocast, GradientsAreThoseOfSingleConversions) {
  const Net net;
  const Tensor x = randn({4, 8}, {.device = gpu});
  const auto expected = net.gradients(x, {.cache = false});
  for (int step = 0; step < 3; ++step) expect_identical(net.gradients(x), expected);
}

TEST_F(GpuAutocast, ConvertsAnySizeAndAddressLikeOneTensor) {
  std::vector<Tensor> weights;
  for (const std::int64_t n : {1, 7, 8, 9, 31, 8192, 8197, 20000}) weights.push_back(weight({n}));
  Tensor odd = weight({70});
  odd.set_data(slice(randn({71}, {.device = gpu}), 0, 1));
  weights.push_back(odd);
  weights.push_back(weight({3, 5, 2, 4}));
  weights.back().set_data(channels_last(weights.back().detach()));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Tensor special =
      tensor({infinity, -infinity, std::nan(""), -0.0, 65520.0, 1e-8, 3.4e38, 1 + 1.0 / 256, 1 + 3.0 / 256},
             {.dtype = float32, .device = gpu});
  weights.push_back(special.requires_grad(true));
  weights.push_back(weight({0}));
  for (int i = 0; i < 300; ++i) weights.push_back(weight({2}));  // more than one launch takes
  for (const DType dtype : {bfloat16, float16})
    for (const bool known : {false, true}) {
      CastCache cache(true);
      cache.cast(weights[0], dtype);
      EXPECT_EQ(cache.size(), known ? weights.size() : 1);
      for (const Tensor& w : weights) {
        const Tensor got = cache.cast(w, dtype), expected = w.detach().to(dtype);
        EXPECT_EQ(got.strides(), expected.strides()) << w.numel();
        EXPECT_TRUE(got.requires_grad()) << w.numel();
        EXPECT_TRUE(allclose(got.detach(), expected, {0, 0})) << w.numel();
      }
    }
}

TEST_F(GpuAutocast, SeesChangesAfterConvertingAhead) {
  const Net net;
  const Tensor x = ones({1, 8}, {.device = gpu});
  net.gradients(x);
  const Autocast guard(DeviceType::cuda);
  linear(x, net.a);
  {
    const NoGrad no_grad;
    fill_(net.b, 2);
  }
  net.c.set_data(full({8, 8}, 3, {.device = gpu}));
  EXPECT_EQ(linear(x, net.b).detach().to(Device()).to_vector<float>()[0], 16);
  EXPECT_EQ(linear(x, net.c).detach().to(Device()).to_vector<float>()[0], 24);
}

TEST_F(GpuAutocast, LeavesFrozenAndDeadWeightsOut) {
  Net net;
  const Tensor x = randn({4, 8}, {.device = gpu});
  net.gradients(x);
  net.b.requires_grad(false);
  net.c = weight({8, 8});
  const Autocast guard(DeviceType::cuda);
  linear(x, net.a);
  EXPECT_EQ(cached(), 1u);
  EXPECT_FALSE(linear(x, net.b).requires_grad());
}

TEST_F(GpuAutocast, KeepsNeitherWeightsNorGradientsAlive) {
  const Tensor x = randn({4, 8}, {.device = gpu});
  Net().gradients(x);  // libraries allocate, too
  const auto before = memory_stats(gpu).allocated;
  {
    const Net net;
    for (int step = 0; step < 2; ++step) net.gradients(x);
  }
  EXPECT_EQ(memory_stats(gpu).allocated, before);
}

TEST_F(GpuAutocast, AnotherStreamConvertsForItself) {
  const Net net;
  const Tensor x = randn({4, 8}, {.device = gpu});
  const auto expected = net.gradients(x, {.cache = false});
  net.gradients(x);
  for (const Tensor& w : {net.a, net.b, net.c}) w.zero_grad();
  synchronize(gpu);
  Tensor loss;
  {
    const Autocast guard(DeviceType::cuda);
    const Tensor h = linear(x, net.a);
    const Stream other = Stream::create(gpu);
    other.wait(current_stream(gpu));
    const StreamGuard there(other);
    loss = sum(linear(linear(h, net.b), net.c));
    loss.backward();
    other.synchronize();
  }
  expect_identical({net.a.grad(), net.b.grad(), net.c.grad()}, expected);
}

TEST_F(GpuAutocast, NestedRegionsOfTwoDtypesAreFollowedApart) {
  const Net net;
  const Tensor x = randn({4, 8}, {.device = gpu});
  for (const std::size_t ahead : {2, 3}) {
    const Autocast outer(DeviceType::cuda);
    const Tensor h = linear(x, net.a);
    {
      const Autocast inner(DeviceType::cuda, {.dtype = float16});
      EXPECT_EQ(linear(h.to(float32), net.b).dtype(), float16);
      EXPECT_EQ(cached(), ahead);
    }
    EXPECT_EQ(linear(h, net.c).dtype(), bfloat16);
  }
}

TEST_F(GpuAutocast, WeightsOfTwoGpusAreConvertedThere) {
  if (cuda::device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  const Device second = Device::cuda(1);
  const Tensor a = weight({8, 8}), b = weight({8, 8}, second), c = weight({8, 8}), d = weight({8, 8}, second);
  const Tensor x = randn({4, 8}, {.device = gpu});
  const auto result = [&](const AutocastOptions& options) {
    const Autocast guard(DeviceType::cuda, options);
    const Tensor y = linear(linear(linear(x, a).to(second), b).to(gpu), c);
    return linear(y.to(second), d).detach();
  };
  const Tensor expected = result({.cache = false});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(identical(result({}), expected));
}

TEST_F(GpuAutocast, CheckpointedBlocksAreRecomputedAlike) {
  const Net net;
  const Tensor x = randn({4, 8}, {.device = gpu});
  const auto expected = net.gradients(x, {.cache = false});
  for (int step = 0; step < 3; ++step) {
    for (const Tensor& w : {net.a, net.b, net.c}) w.zero_grad();
    Tensor loss;
    {
      const Autocast guard(DeviceType::cuda);
      loss = sum(linear(checkpoint([&](const Tensor& h) { return linear(linear(h, net.a), net.b); }, x), net.c));
    }
    loss.backward();
    expect_identical({net.a.grad(), net.b.grad(), net.c.grad()}, expected);
  }
}

}  // namespace
}  // namespace minima::amp::gpu_autocast_test
