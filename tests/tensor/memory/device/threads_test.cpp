#include <minima/tensor/memory/device/caching_memory.h>

#include "tests/tensor/memory/device/simulated_driver.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

// All threads of a process share the allocator. Meant for the thread sanitizer.

namespace minima::device_memory::threads_test {
namespace {

struct Passed {
  CachingMemory* memory;
  Block* block;
  static void run(void* context) {
    auto* const self = static_cast<Passed*>(context);
    self->memory->release(self->block);
    delete self;
  }
};

TEST(CachingMemoryThreads, ManyThreadsShareStreamsAndHandMemoryOver) {
  constexpr int thread_count = 4, stream_count = 3;
  SimulatedDriver driver(std::size_t{512} << 20);
  CachingMemory memory(driver);
  const char tokens[stream_count] = {};
  const auto work = [&](int index) {
    std::mt19937 random(static_cast<unsigned>(index));
    std::vector<Block*> blocks;
    for (int i = 0; i < 5000; ++i) {
      StreamMemory& stream = memory.stream(&tokens[random() % stream_count]);
      if (random() % 2) {
        if (Block* const block =
                memory.allocate(stream, random() % (random() % 8 ? 100'000 : 20'000'000), Purpose::activations))
          blocks.push_back(block);
      } else if (!blocks.empty()) {
        Block* const block = blocks.back();
        blocks.pop_back();
        if (random() % 4) memory.release(block);
        else memory.hold(&tokens[random() % stream_count], Passed::run, new Passed{&memory, block});
      }
      if (random() % 500 == 0) memory.snapshot();
      if (random() % 2000 == 0) memory.empty();
    }
    for (Block* block : blocks) memory.release(block);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  memory.empty();
  EXPECT_EQ(memory.stats().allocated, 0);
  EXPECT_EQ(memory.stats().reserved, 0);
  EXPECT_EQ(memory.caching_stats().held, 0);
  EXPECT_EQ(driver.taken(), 0u);
  EXPECT_TRUE(driver.faults.empty()) << driver.faults[0];
}

}  // namespace
}  // namespace minima::device_memory::threads_test
