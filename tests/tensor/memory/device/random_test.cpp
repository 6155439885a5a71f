#include "tests/tensor/memory/device/simulated_driver.h"

#include <minima/tensor/memory/device/caching_memory.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <random>

// Random work on several streams. Invariants: live blocks never overlap, no memory is moved while a stream uses it, all
// memory is returned, and little is unused.

namespace minima::device_memory::random_test {
namespace {

constexpr int stream_count = 8;

struct Live {
  Block* block;
  int stream;
};

class RandomWork {
 public:
  RandomWork(SimulatedDriver& driver, std::uint64_t seed) : driver_(driver), memory_(driver), random_(seed) {
    for (int i = 0; i < stream_count; ++i) streams_[i] = &memory_.stream(&tokens_[i]);
  }

  void run(int operations, std::size_t target) {
    for (int i = 0; i < operations && driver_.faults.empty(); ++i) {
      phase_ = i * 10 / operations;
      const bool full = static_cast<std::size_t>(memory_.stats().allocated) > target;
      if (live_.empty() || (!full && random_() % 100 < 52)) allocate();
      else release(random_() % live_.size());
      driver_.advance(&tokens_[random_() % stream_count], random_() % 16);
    }
  }

  void release_all() {
    while (!live_.empty()) release(live_.size() - 1);
  }

  CachingMemory& memory() { return memory_; }
  std::int64_t peak_allocated = 0, reserved_at_peak = 0;
  int overlaps = 0, refused = 0, hand_overs = 0;
  /// One release in so many is held for another stream's last use; 0 means none.
  unsigned handed_over = 0;

 private:
  /// The sizes of requests and the streams that make them change from phase to phase.
  std::size_t draw_size() {
    const double smallest = phase_ % 3 == 2 ? 16 : 9, largest = phase_ % 2 ? 23.5 : 26;
    const double exponent = std::uniform_real_distribution<>(smallest, random_() % 4 ? largest - 6 : largest)(random_);
    return static_cast<std::size_t>(std::exp2(exponent)) + random_() % 512;
  }

  void allocate() {
    const int stream = random_() % 2 ? phase_ % stream_count : static_cast<int>(random_() % stream_count);
    const std::size_t bytes = draw_size();
    Block* const block = memory_.allocate(*streams_[stream], bytes, Purpose::activations);
    if (!block) {
      ++refused;
      return;
    }
    const auto next = ranges_.lower_bound(block->address);
    if (next != ranges_.end() && next->first < block->address + bytes) ++overlaps;
    if (next != ranges_.begin() && std::prev(next)->second > block->address) ++overlaps;
    ranges_[block->address] = block->address + bytes;
    driver_.use(&tokens_[stream], block->address, bytes);
    live_.push_back({block, stream});
    const MemoryStats stats = memory_.stats();
    if (stats.allocated > peak_allocated) {
      peak_allocated = stats.allocated;
      reserved_at_peak = stats.reserved;
    }
  }

  void release(std::size_t index) {
    const Live gone = live_[index];
    live_[index] = live_.back();
    live_.pop_back();
    if (handed_over > 0 && random_() % handed_over == 0) return hand_over(gone);
    ranges_.erase(gone.block->address);
    driver_.use(&tokens_[gone.stream], gone.block->address, gone.block->requested);
    memory_.release(gone.block);
  }

  /// Another stream, which waits for the block's own, uses it last. Until then the memory must not be reused.
  void hand_over(const Live& gone) {
    const int reader = (gone.stream + 1 + static_cast<int>(random_() % (stream_count - 1))) % stream_count;
    driver_.advance(&tokens_[gone.stream], ~std::uint64_t{0} / 2);
    driver_.use(&tokens_[reader], gone.block->address, gone.block->requested);
    struct Context {
      RandomWork* work;
      Block* block;
    };
    const auto let_go = [](void* context) {
      const std::unique_ptr<Context> held(static_cast<Context*>(context));
      held->work->ranges_.erase(held->block->address);
      held->work->memory_.release(held->block);
    };
    memory_.hold(&tokens_[reader], let_go, new Context{this, gone.block});
    ++hand_overs;
  }

  SimulatedDriver& driver_;
  CachingMemory memory_;
  std::mt19937_64 random_;
  char tokens_[stream_count] = {};
  StreamMemory* streams_[stream_count];
  std::vector<Live> live_;
  std::map<char*, char*> ranges_;
  int phase_ = 0;
};

void expect_sound(SimulatedDriver& driver, RandomWork& work) {
  EXPECT_TRUE(driver.faults.empty()) << driver.faults.size() << " faults, first: " << driver.faults[0];
  EXPECT_EQ(work.overlaps, 0);
  work.release_all();
  work.memory().empty();  // releases held memory
  EXPECT_EQ(work.memory().stats().allocated, 0);
  EXPECT_EQ(work.memory().stats().requested, 0);
  EXPECT_EQ(work.memory().stats().reserved, 0);
  EXPECT_EQ(driver.taken(), 0u);
  EXPECT_TRUE(driver.faults.empty()) << driver.faults.size() << " faults, first: " << driver.faults[0];
}

class CachingMemoryRandomSeeds : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(, CachingMemoryRandomSeeds, ::testing::Values(7, 8, 11));

TEST_P(CachingMemoryRandomSeeds, AMillionOperationsOnEightStreamsLeaveLittleIdle) {
  SimulatedDriver driver(std::size_t{64} << 30);
  RandomWork work(driver, GetParam());
  const auto start = std::chrono::steady_clock::now();
  work.run(1'000'000, std::size_t{4} << 30);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const CachingStats caching = work.memory().caching_stats();
  const double idle = 1.0 - static_cast<double>(work.peak_allocated) / static_cast<double>(work.reserved_at_peak);
  std::cout << seconds << " s with the simulation, peak " << (work.peak_allocated >> 20) << " MiB of "
            << (work.reserved_at_peak >> 20) << " MiB reserved: " << 100 * idle << "% idle; " << caching.pages_created
            << " pages created, " << caching.pages_moved << " moved, " << driver.records << " events\n";
  EXPECT_EQ(work.refused, 0);
  EXPECT_LE(idle, 0.15);
  EXPECT_LE(caching.pages_created, 12'000);  // few compared with the 110,000 that are moved
  expect_sound(driver, work);
}

TEST(CachingMemoryRandom, WhatIsHandedOverIsNotUsedBeforeTheReaderIsDone) {
  SimulatedDriver driver(std::size_t{2} << 30);
  RandomWork work(driver, 17);
  work.handed_over = 3;
  work.run(200'000, std::size_t{1} << 30);
  EXPECT_GT(work.hand_overs, 20'000);
  expect_sound(driver, work);
}

TEST(CachingMemoryRandom, StaysSoundWhereMemoryIsShort) {
  SimulatedDriver driver(std::size_t{1} << 30);
  RandomWork work(driver, 11);
  work.run(200'000, std::size_t{1} << 30);
  EXPECT_GT(work.refused, 0);
  EXPECT_GE(work.peak_allocated, (std::int64_t{1} << 30) * 85 / 100);
  expect_sound(driver, work);
}

TEST(CachingMemoryRandom, StaysSoundWithoutPages) {
  SimulatedDriver driver(std::size_t{8} << 30, 0);
  RandomWork work(driver, 13);
  work.run(200'000, std::size_t{2} << 30);
  expect_sound(driver, work);
}

}  // namespace
}  // namespace minima::device_memory::random_test
