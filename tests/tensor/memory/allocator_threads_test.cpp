#include <minima/tensor/memory/blocks/small_memory.h>
#include <minima/tensor/storage/storage.h>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "tests/tensor/memory/caching.h"

namespace minima::allocator_threads_test {
namespace {

Storage* take(std::size_t bytes) { return allocator_of(Device::cpu()).allocate(bytes); }

/// The address ranges in use; an overlap or the release of an unknown range is a fault.
class Oracle {
 public:
  void allocated(const Storage* storage) {
    const auto start = address(storage), end = start + storage->bytes() + 64;
    const std::lock_guard lock(mutex_);
    const auto next = ranges_.lower_bound(start);
    if (next != ranges_.end() && next->first < end) ++faults;
    if (next != ranges_.begin() && std::prev(next)->second > start) ++faults;
    ranges_[start] = end;
  }
  void released(const Storage* storage) {
    const std::lock_guard lock(mutex_);
    if (ranges_.erase(address(storage)) != 1) ++faults;
  }
  int faults = 0;

 private:
  /// The header in front of the data belongs to the block.
  static std::uintptr_t address(const Storage* storage) { return reinterpret_cast<std::uintptr_t>(storage); }
  std::mutex mutex_;
  std::map<std::uintptr_t, std::uintptr_t> ranges_;
};

void stamp(Storage& storage, std::uint64_t value) {
  if (storage.bytes() < 16) return;
  std::memcpy(storage.data(), &value, 8);
  std::memcpy(static_cast<char*>(storage.data()) + storage.bytes() - 8, &value, 8);
}

bool stamped(const Storage& storage) {
  if (storage.bytes() < 16) return true;
  std::uint64_t first, last;
  std::memcpy(&first, storage.data(), 8);
  std::memcpy(&last, static_cast<const char*>(storage.data()) + storage.bytes() - 8, 8);
  return first == last && first % 1009 == storage.bytes() % 1009;
}

std::size_t random_size(std::mt19937_64& random) {
  switch (random() % 16) {
    case 0: return 32 * 1024 + random() % (1 << 20);
    case 1: return (1 << 20) + random() % (4 << 20);
    case 2:
    case 3: return random() % (32 * 1024);
    default: return random() % 1200;
  }
}

// All threads fill and empty the same slots, so most blocks are freed by a different thread than the one that allocated
// them.
TEST(AllocatorThreads, AMillionRandomOperationsNeverOverlap) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  constexpr int operations = 40'000;
#else
  constexpr int operations = 250'000;
#endif
  constexpr int threads = 4;
  const MemoryStats before = memory_stats();
  Oracle oracle;
  std::atomic<int> damaged{0};
  static std::array<std::atomic<Storage*>, 500> slots{};
  const auto release = [&](Storage* storage) {
    if (!storage) return;
    if (!stamped(*storage)) ++damaged;
    oracle.released(storage);
    storage->release();
  };
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&, t] {
      std::mt19937_64 random(static_cast<std::uint64_t>(t));
      for (int i = 0; i < operations; ++i) {
        Storage* fresh = nullptr;
        if (random() % 2) {
          fresh = take(random_size(random));
          oracle.allocated(fresh);
          stamp(*fresh, random() / 2018 * 1009 + fresh->bytes() % 1009);
        }
        release(slots[random() % slots.size()].exchange(fresh));
        if (random() % 50'000 == 0) empty_cache();
      }
    });
  for (std::thread& thread : pool) thread.join();
  for (auto& slot : slots) release(slot.exchange(nullptr));
  EXPECT_EQ(oracle.faults, 0);
  EXPECT_EQ(damaged, 0);
  const MemoryStats after = memory_stats();
  EXPECT_EQ(after.allocated, before.allocated);
  EXPECT_EQ(after.requested, before.requested);
  EXPECT_LE(after.peak_allocated, after.peak_reserved);
}

TEST(AllocatorThreads, EndedThreadsLeaveTheirFreeListsBehind) {
  REQUIRE_CACHING();
  const auto allocate_many = [] {
    std::vector<StoragePtr> live;
    for (int i = 0; i < 1000; ++i) live.emplace_back(take(300));
  };
  std::thread(allocate_many).join();
  const MemoryStats before = memory_stats();
  for (int i = 0; i < 20; ++i) std::thread(allocate_many).join();
  EXPECT_EQ(memory_stats().system_allocations, before.system_allocations);
  EXPECT_EQ(memory_stats().allocations - before.allocations, 20'000) << "the counts of ended threads are lost";
}

TEST(AllocatorThreads, AProducersBlocksReturnToIt) {
  REQUIRE_CACHING();
  // One thread allocates, another frees: without the exchange the first would grow without bound.
  std::int64_t reserved = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<StoragePtr> batch;
    for (int i = 0; i < 2000; ++i) batch.emplace_back(take(500));
    std::thread([&] { batch.clear(); }).join();
    if (round == 2) reserved = memory_stats().reserved;
  }
  EXPECT_EQ(memory_stats().reserved, reserved);
}

TEST(AllocatorThreads, PurposeBelongsToTheThread) {
  const PurposeGuard guard(Purpose::parameters);
  std::thread([] {
    const StoragePtr storage(take(64));
    EXPECT_EQ(storage->bookkeeping.purpose, Purpose::activations);
  }).join();
}

TEST(AllocatorThreads, PeakOfSeveralThreadsIsWithinTheDocumentedError) {
  constexpr int threads = 3;
  reset_peak();
  const std::int64_t start = memory_stats().allocated;
  std::atomic<int> ready{0};
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&] {
      std::vector<StoragePtr> live;
      for (int i = 0; i < 1000; ++i) live.emplace_back(take(4096));
      ++ready;
      while (ready < threads) std::this_thread::yield();
    });
  for (std::thread& thread : pool) thread.join();
  const std::int64_t true_peak = threads * 1000 * 4096;
  EXPECT_NEAR(static_cast<double>(memory_stats().peak_allocated - start), static_cast<double>(true_peak),
              threads * 256.0 * 1024);
}

TEST(AllocatorThreads, SmallObjectsKeepTheirContentsAcrossThreads) {
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (std::size_t bytes = 1; bytes < 3000; bytes += 7) {
    auto* const block = static_cast<unsigned char*>(detail::small_allocate(bytes));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0u);
    std::memset(block, static_cast<int>(bytes % 256), bytes);
    blocks.emplace_back(block, bytes);
  }
  auto* const huge = static_cast<unsigned char*>(detail::small_allocate(1 << 20));
  std::memset(huge, 1, 1 << 20);
  std::thread([&] {
    for (const auto& [block, bytes] : blocks) {
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(block[i], bytes % 256);
      detail::small_free(block, bytes);
    }
    detail::small_free(huge, 1 << 20);
  }).join();
  detail::small_free(nullptr, 64);
}

// A fork while other threads hold the allocator's locks must leave the child able to allocate.
TEST(AllocatorThreads, TheChildOfAForkCanAllocate) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer does not support threads in a child of a program with threads";
#endif
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) {
      std::vector<StoragePtr> live;
      for (int i = 0; i < 200; ++i) live.emplace_back(take(static_cast<std::size_t>(i) * 1000));
    }
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (const std::size_t bytes : {100u, 10'000u, 5'000'000u}) StoragePtr(take(bytes));
      _exit(memory_stats().allocations > 0 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  stop = true;
  busy.join();
}

}  // namespace
}  // namespace minima::allocator_threads_test
