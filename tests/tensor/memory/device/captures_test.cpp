#include <minima/tensor/memory/device/caching_memory.h>

#include "tests/tensor/memory/device/simulated_driver.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

// Private pools of captured work: what they take from the rest of the memory, who allocates from them, what they leave.

namespace minima::device_memory::captures_test {
namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;
constexpr Purpose purpose = Purpose::activations;

class CachingMemoryCaptures : public ::testing::Test {
 protected:
  ~CachingMemoryCaptures() override {
    EXPECT_TRUE(driver.faults.empty()) << driver.faults.size() << " faults, first: " << driver.faults[0];
  }
  Block* take(StreamMemory& stream, std::size_t bytes) {
    Block* const block = memory.allocate(stream, bytes, purpose);
    if (block) driver.use(stream.token, block->address, bytes);
    return block;
  }
  void begin(int pool) {
    memory.begin_capture(first, pool);
    driver.capturing = true;
  }
  void end() {
    driver.capturing = false;
    memory.end_capture(first);
  }

  SimulatedDriver driver{256 * MiB};
  CachingMemory memory{driver};
  char tokens[2] = {};
  StreamMemory& first = memory.stream(&tokens[0]);
  StreamMemory& second = memory.stream(&tokens[1]);
};

/// The warm-up has just freed what the capture needs; together they would not fit.
TEST_F(CachingMemoryCaptures, AStepThatFillsMostOfTheDeviceIsCaptured) {
  memory.release(take(first, 200 * MiB));
  begin(1);
  EXPECT_NE(take(first, 200 * MiB), nullptr);
  end();
}

/// A fork inside the capture: what the other stream allocates is as private as the rest.
TEST_F(CachingMemoryCaptures, AForkAllocatesFromThePool) {
  begin(1);
  Block* const forked = take(second, 4 * MiB);
  const char* const address = forked->address;
  memory.release(forked);
  end();
  for (int i = 0; i < 3; ++i) EXPECT_NE(take(second, 4 * MiB)->address, address) << "replays go on writing it";
}

TEST_F(CachingMemoryCaptures, AnotherThreadAllocatesAsAlways) {
  begin(1);
  std::thread([&] { memory.release(take(second, 4 * MiB)); }).join();
  end();
  for (const MemorySnapshot::Segment& segment : memory.snapshot().segments) EXPECT_FALSE(segment.graph);
}

TEST_F(CachingMemoryCaptures, AReleasedPoolReturnsItsAddresses) {
  std::size_t after_first = 0;
  for (int pool = 1; pool <= 20; ++pool) {
    begin(pool);
    memory.release(take(first, 8 * MiB));
    memory.release(take(first, 512));
    end();
    memory.release_pool(pool);
    if (pool == 2) after_first = driver.reservations();
  }
  EXPECT_EQ(driver.reservations(), after_first);
}

/// A result of the captured step outlives its graph.
TEST_F(CachingMemoryCaptures, AReleasedPoolKeepsWhatIsInUse) {
  begin(1);
  Block* const result = take(first, 8 * MiB);
  end();
  memory.release_pool(1);
  for (int pool = 2; pool <= 4; ++pool) {
    begin(pool);
    memory.release(take(first, 8 * MiB));
    end();
    memory.release_pool(pool);
  }
  memory.release(result);
  memory.empty();
  EXPECT_EQ(memory.stats().reserved, 0);
}

}  // namespace
}  // namespace minima::device_memory::captures_test
