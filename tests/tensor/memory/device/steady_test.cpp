#include <minima/tensor/memory/device/caching_memory.h>

#include "tests/tensor/memory/device/simulated_driver.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

// What a training loop costs once it has found its memory, and what a driver's failure leaves behind.

namespace minima::device_memory::steady_test {
namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;
constexpr Purpose purpose = Purpose::activations;

class CachingMemorySteady : public ::testing::Test {
 protected:
  ~CachingMemorySteady() override {
    EXPECT_TRUE(driver.faults.empty()) << driver.faults.size() << " faults, first: " << driver.faults[0];
  }
  Block* take(std::size_t bytes) {
    Block* const block = memory.allocate(stream, bytes, purpose);
    if (block) driver.use(stream.token, block->address, bytes);
    return block;
  }
  /// Holds `kept` MiB in large blocks, and then makes `small` short-lived requests.
  void step(int kept, int small) {
    std::vector<Block*> blocks;
    for (int i = 0; i < kept; ++i) blocks.push_back(take(MiB + 1));
    for (Block* block : blocks) memory.release(block);
    for (int i = 0; i < small; ++i) {
      memory.release(take(4096));
      driver.advance(stream.token, 2);
    }
  }

  SimulatedDriver driver{std::size_t{1} << 30};
  CachingMemory memory{driver};
  char token = 0;
  StreamMemory& stream = memory.stream(&token);
};

/// Checkpointing and deep models allocate more often in a step than trims are apart.
TEST_F(CachingMemorySteady, ALongStepKeepsItsPages) {
  for (int n = 0; n < 8; ++n) step(200, 12'000);
  const CachingStats before = memory.caching_stats();
  for (int n = 0; n < 12; ++n) step(200, 12'000);
  const CachingStats after = memory.caching_stats();
  EXPECT_EQ(after.pages_created - before.pages_created, 0);
  EXPECT_EQ(after.pages_destroyed - before.pages_destroyed, 0);
  EXPECT_EQ(after.pages_moved - before.pages_moved, 0);
}

TEST_F(CachingMemorySteady, HoldsAreAskedForOnceEach) {
  constexpr int holds = 200;
  int released = 0;
  for (int i = 0; i < holds; ++i) {
    driver.use(&token, reinterpret_cast<const char*>(1), 0);
    memory.hold(&token, [](void* count) { ++*static_cast<int*>(count); }, &released);
  }
  EXPECT_LE(driver.queries, 2 * holds) << "the first mark that is not reached hides those behind it";
  driver.advance(&token, 2 * holds);
  memory.empty();
  EXPECT_EQ(released, holds);
}

/// The driver's page tables may be full although there are pages.
TEST_F(CachingMemorySteady, AFailedMapLosesNoPage) {
  for (int call = 1; call <= 2; ++call) {
    driver.failing_map = call;
    std::vector<Block*> blocks;
    try {
      for (int i = 0; i < 2; ++i) blocks.push_back(take(64 * MiB));
      FAIL() << "the failure is passed on";
    } catch (const std::runtime_error&) {}
    Block* const again = take(64 * MiB);
    ASSERT_NE(again, nullptr);
    memory.release(again);
    for (Block* block : blocks) memory.release(block);
    memory.empty();
    EXPECT_EQ(driver.taken(), 0u);
    EXPECT_EQ(memory.stats().reserved, 0);
  }
}

TEST_F(CachingMemorySteady, AFailedUnmapLosesNoPage) {
  for (int call = 1; call <= 20; ++call) {
    memory.release(take(40 * MiB));
    driver.failing_unmap = call;
    EXPECT_THROW(memory.empty(), std::runtime_error);
    Block* const again = take(40 * MiB);
    ASSERT_NE(again, nullptr);
    memory.release(again);
    memory.empty();
    EXPECT_EQ(driver.taken(), 0u) << call;
    EXPECT_EQ(memory.stats().reserved, 0) << call;
  }
}

}  // namespace
}  // namespace minima::device_memory::steady_test
