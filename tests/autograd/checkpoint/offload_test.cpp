#include "tests/autograd/checkpoint/checkpoint_support.h"
#include "tests/support/simulated_memory.h"

#include <cstring>

namespace minima::test::offload_test {
namespace {

TEST(Offload, GivesTheSameGradientsFromASecondMemory) {
  SimulatedMemory memory;
  const nn::Sequential net = blocks(2);
  const Tensor x = randn({64, 16});
  const auto plain = gradients(net, x, [&](const Tensor& input) { return nn::Sequential(net)(input); });
  const auto away = gradients(net, x, [&](const Tensor& input) {
    OffloadSavedTensors guard(memory, 0);
    return nn::Sequential(net)(input);
  });
  expect_equal(plain, away);
  EXPECT_GT(memory.stores, 6);
  EXPECT_EQ(memory.stores, memory.fetches);
  EXPECT_GT(memory.prefetches, 0);
  EXPECT_EQ(memory.bytes, 0);
}

TEST(Offload, LeavesSmallTensorsAndParametersAlone) {
  SimulatedMemory memory;
  const nn::Linear layer({.in = 4, .out = 4});
  const Tensor x = randn({4, 4});
  OffloadSavedTensors guard(memory, 1 << 20);
  const Tensor y = nn::Linear(layer)(x);
  EXPECT_EQ(memory.stores, 0);
}

TEST(Offload, TensorsOnTheCpuStayWithoutASecondMemory) {
  const Tensor x = randn({1000}).requires_grad(true);
  OffloadSavedTensors guard(host_memory(), 0);
  sum(exp(x)).backward();
  EXPECT_TRUE(identical(x.grad(), exp(x.detach())));
}

}  // namespace
}  // namespace minima::test::offload_test
