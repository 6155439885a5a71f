#include <minima/tensor/memory/device/caching_memory.h>

#include "tests/tensor/memory/device/simulated_driver.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iostream>

// Replays the requests of recorded training steps. At the peak at most a tenth of the reserved memory may be unused,
// and the last step must not call the driver.

namespace minima::device_memory::trace_test {
namespace {

struct Trace {
  std::vector<std::int64_t> operations;  ///< bytes to allocate, or -1 - n to free the n-th allocation
};

Trace read(const std::string& name) {
  std::ifstream file(std::string(MINIMA_FIXTURES "/memory/") + name);
  Trace trace;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    trace.operations.push_back(line[0] == '-' ? -1 - std::stoll(line.substr(1)) : std::stoll(line));
  }
  return trace;
}

void replay(const std::string& name, std::size_t page_bytes, double most_idle) {
  const Trace trace = read(name);
  ASSERT_GT(trace.operations.size(), 1000u) << name;
  SimulatedDriver driver(std::size_t{8} << 30, page_bytes);
  CachingMemory memory(driver);
  const char token = 0;
  StreamMemory& stream = memory.stream(&token);
  std::vector<Block*> blocks;
  std::int64_t peak = 0, reserved = 0, calls_before_last_third = 0;
  CachingStats before_last_third;
  for (std::size_t i = 0; i < trace.operations.size(); ++i) {
    if (const std::int64_t operation = trace.operations[i]; operation >= 0) {
      Block* const block = memory.allocate(stream, static_cast<std::size_t>(operation), Purpose::activations);
      ASSERT_NE(block, nullptr);
      driver.use(&token, block->address, block->bytes);
      blocks.push_back(block);
    } else {
      memory.release(blocks[static_cast<std::size_t>(-1 - operation)]);
    }
    driver.advance(&token, 1);  // half of the submitted work: the GPU lags, as in training
    const MemoryStats stats = memory.stats();
    if (stats.allocated > peak) {
      peak = stats.allocated;
      reserved = stats.reserved;
    }
    if (i == trace.operations.size() * 2 / 3) {
      calls_before_last_third = stats.system_allocations;
      before_last_third = memory.caching_stats();
    }
  }
  const double idle = 1.0 - static_cast<double>(peak) / static_cast<double>(reserved);
  std::cout << name << (page_bytes ? "" : " without pages") << ": peak " << (peak >> 20) << " MiB of "
            << (reserved >> 20) << " MiB reserved, " << 100 * idle << "% idle\n";
  EXPECT_LE(idle, most_idle);
  EXPECT_EQ(memory.stats().system_allocations, calls_before_last_third);
  const CachingStats pages = memory.caching_stats();
  EXPECT_EQ(pages.pages_moved, before_last_third.pages_moved);
  EXPECT_EQ(pages.pages_destroyed, before_last_third.pages_destroyed);
  EXPECT_EQ(memory.stats().allocated, 0) << "the trace frees everything";
  EXPECT_TRUE(driver.faults.empty()) << driver.faults[0];
}

constexpr std::size_t page = std::size_t{2} << 20;

TEST(CachingMemoryTrace, ACnnStepLeavesLittleIdle) { replay("cnn_step.txt", page, 0.10); }
TEST(CachingMemoryTrace, AGptStepLeavesLittleIdle) { replay("gpt_step.txt", page, 0.10); }
TEST(CachingMemoryTrace, WholeSegmentsWasteMoreButNotWildly) {
  replay("cnn_step.txt", 0, 0.5);
  replay("gpt_step.txt", 0, 0.5);
}

}  // namespace
}  // namespace minima::device_memory::trace_test
