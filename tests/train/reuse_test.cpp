#include "tests/tensor/memory/caching.h"

#include <minima/minima.h>

#include <gtest/gtest.h>

// How much memory a typical training loop requests from the system.

namespace minima::reuse_test {
namespace {

TEST(TrainingLoop, ReusesNinetyEightPercentOfItsBlocks) {
  REQUIRE_CACHING();
  manual_seed(3);
  nn::Sequential net(nn::Conv2d({.in = 1, .out = 8, .kernel = 3, .padding = 1}), nn::BatchNorm2d({.features = 8}),
                     nn::ReLU(), nn::Flatten(), nn::Linear({.in = 8 * 12 * 12, .out = 10}));
  optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});
  data::DataLoader loader(data::TensorDataset(randn({1600, 1, 12, 12}), randint(0, 10, {1600})),
                          {.batch_size = 16, .shuffle = true, .workers = 1});
  const MemoryStats before = memory_stats();
  for (auto& [x, y] : loader) {
    optimizer.zero_grad();
    cross_entropy(net(x), y).backward();
    optimizer.step();
  }
  const MemoryStats after = memory_stats();
  const auto allocations = static_cast<double>(after.allocations - before.allocations);
  const auto from_system = static_cast<double>(after.system_allocations - before.system_allocations);
  EXPECT_GT(allocations, 1000);
  EXPECT_LE(from_system, 0.02 * allocations) << from_system << " of " << allocations << " blocks came from the system";
}

}  // namespace
}  // namespace minima::reuse_test
