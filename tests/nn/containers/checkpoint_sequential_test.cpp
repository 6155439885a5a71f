#include "tests/autograd/checkpoint/checkpoint_support.h"

#include <minima/nn/containers/checkpoint_sequential.h>

namespace minima::test::checkpoint_sequential_test {
namespace {

TEST(CheckpointSequential, IsThePlainNetworkInAnyNumberOfSegments) {
  const nn::Sequential net = blocks(5);
  const Tensor x = randn({8, 16});
  const auto plain = gradients(net, x, [&](const Tensor& input) { return nn::Sequential(net)(input); });
  for (const int segments : {1, 2, 3, 5})
    expect_equal(
        plain, gradients(net, x, [&](const Tensor& input) { return nn::checkpoint_sequential(net, segments, input); }));
  EXPECT_THROW(nn::checkpoint_sequential(net, 6, x), ValueError);
  EXPECT_THROW(nn::checkpoint_sequential(net, 0, x), ValueError);
}

}  // namespace
}  // namespace minima::test::checkpoint_sequential_test
