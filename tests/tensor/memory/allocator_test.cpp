#include <minima/tensor/storage/allocator.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/memory/memory_snapshot.h>
#include <minima/tensor/storage/storage.h>
#include <minima/tensor/tensor.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/tensor/memory/caching.h"

namespace minima::allocator_test {
namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

StoragePtr make(std::size_t bytes) { return StoragePtr(allocator_of(Device::cpu()).allocate(bytes)); }

// Sizes around every boundary between size classes, between tiers, and between page sizes.
std::vector<std::size_t> sizes_of_interest() {
  std::vector<std::size_t> sizes{0, 1, 2, 3, 63, 64, 65, 127, 1023, 1024, 1025, 1100, 1151, 1152, 1153, 5000};
  for (std::size_t power = 2 * KiB; power <= 16 * MiB; power *= 2)
    for (const std::size_t size : {power - 1, power, power + 1, power + power / 3}) sizes.push_back(size);
  return sizes;
}

TEST(Allocator, GivesAlignedMemoryOfTheWholeSize) {
  std::vector<StoragePtr> live;
  for (const std::size_t bytes : sizes_of_interest()) {
    live.push_back(make(bytes));
    const Storage& storage = *live.back();
    EXPECT_EQ(storage.bytes(), bytes);
    ASSERT_NE(storage.data(), nullptr) << bytes;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(storage.data()) % 64, 0u) << bytes;
    EXPECT_TRUE(storage.unique());
    EXPECT_EQ(storage.device(), Device::cpu());
    std::memset(storage.data(), static_cast<int>(live.size() % 251), bytes);
  }
  for (std::size_t i = 0; i < live.size(); ++i) {
    const auto* bytes = static_cast<const unsigned char*>(live[i]->data());
    for (std::size_t k = 0; k < live[i]->bytes(); ++k) ASSERT_EQ(bytes[k], (i + 1) % 251) << live[i]->bytes();
  }
}

TEST(Allocator, EmptyStoragesAreDistinct) {
  const StoragePtr a = make(0), b = make(0);
  EXPECT_NE(a->data(), b->data());
}

TEST(Allocator, ReusesWhatWasReleasedLast) {
  REQUIRE_CACHING();
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{16}, 4 * KiB, 32 * KiB, 100 * KiB, 3 * MiB, 64 * MiB}) {
    const void* const first = make(bytes)->data();
    EXPECT_EQ(make(bytes)->data(), first) << bytes;
  }
}

TEST(Allocator, ReusesALargeBlockForALittleLess) {
  REQUIRE_CACHING();
  empty_cache();
  const void* const first = make(10 * MiB)->data();
  EXPECT_EQ(make(9 * MiB)->data(), first);
  EXPECT_NE(make(7 * MiB)->data(), first) << "more than a quarter would be wasted";
}

TEST(Allocator, TakesTheSmallestLargeBlockThatFits) {
  REQUIRE_CACHING();
  empty_cache();
  StoragePtr larger = make(22 * MiB), exact = make(20 * MiB), largest = make(24 * MiB);
  const void* const expected = exact->data();
  exact = StoragePtr();
  largest = StoragePtr();
  larger = StoragePtr();
  EXPECT_EQ(make(20 * MiB)->data(), expected);
}

TEST(Allocator, CachedBlocksNeedNoSystemCalls) {
  REQUIRE_CACHING();
  const auto step = [] {
    std::vector<StoragePtr> live;
    for (const std::size_t bytes : sizes_of_interest()) live.push_back(make(bytes));
  };
  step();
  const std::int64_t before = memory_stats().system_allocations;
  for (int i = 0; i < 20; ++i) step();
  EXPECT_EQ(memory_stats().system_allocations, before);
}

// As layers of a network do, whose results shrink: blocks of all sizes together would exceed what is kept.
TEST(Allocator, ReusesLargerBlocksWhereNewOnesWouldReplaceThem) {
  REQUIRE_CACHING();
  empty_cache();
  reset_peak();
  const auto step = [] {
    for (const std::size_t size : {256, 200, 160}) make(size * MiB);
  };
  step();
  const std::int64_t before = memory_stats().system_allocations;
  for (int i = 0; i < 5; ++i) step();
  EXPECT_EQ(memory_stats().system_allocations, before);
  EXPECT_LE(memory_stats().reserved, memory_stats().peak_allocated * 5 / 4 + static_cast<std::int64_t>(65 * MiB));
}

TEST(Allocator, CountsWhatIsAllocated) {
  for (const std::size_t bytes : sizes_of_interest()) {
    const MemoryStats before = memory_stats();
    const StoragePtr storage = make(bytes);
    const MemoryStats during = memory_stats();
    EXPECT_EQ(during.requested - before.requested, static_cast<std::int64_t>(bytes));
    EXPECT_GE(during.allocated - before.allocated, static_cast<std::int64_t>(bytes));
    EXPECT_LE(static_cast<double>(during.allocated - before.allocated),
              std::max(static_cast<double>(bytes) + 64, static_cast<double>(bytes) * 1.125))
        << "rounding costs less than 64 bytes or an eighth";
    EXPECT_EQ(during.allocations - before.allocations, 1);
    EXPECT_GE(during.reserved, during.allocated);
    EXPECT_GE(during.peak_allocated, during.allocated);
    EXPECT_GE(during.peak_reserved, during.reserved);
  }
}

TEST(Allocator, CountsTheSameWhateverBlockIsReused) {
  const auto counted = [] {
    const std::int64_t before = memory_stats().allocated;
    const StoragePtr storage = make(9 * MiB);
    return memory_stats().allocated - before;
  };
  empty_cache();
  const std::int64_t fresh = counted();
  empty_cache();
  make(11 * MiB);
  EXPECT_EQ(counted(), fresh);
}

TEST(Allocator, CountsBackToZero) {
  const MemoryStats before = memory_stats();
  { const StoragePtr a = make(100), b = make(100 * KiB), c = make(10 * MiB); }
  const MemoryStats after = memory_stats();
  EXPECT_EQ(after.allocated, before.allocated);
  EXPECT_EQ(after.requested, before.requested);
}

TEST(Allocator, PeakIsExactOnOneThread) {
  for (const std::size_t bytes : {std::size_t{64}, 4 * KiB, 8 * MiB}) {
    reset_peak();
    const std::int64_t start = memory_stats().allocated;
    EXPECT_EQ(memory_stats().peak_allocated, start);
    {
      const StoragePtr a = make(bytes);
      { const StoragePtr b = make(bytes), c = make(bytes); }
    }
    EXPECT_GE(memory_stats().peak_allocated - start, static_cast<std::int64_t>(3 * bytes)) << bytes;
    EXPECT_LE(static_cast<double>(memory_stats().peak_allocated - start), 1.125 * 3.0 * static_cast<double>(bytes))
        << bytes;
    reset_peak();
    EXPECT_EQ(memory_stats().peak_allocated, memory_stats().allocated);
  }
}

TEST(Allocator, CountsByPurpose) {
  const auto by = [](Purpose purpose) { return memory_stats().allocated_by[static_cast<int>(purpose)]; };
  const std::int64_t parameters = by(Purpose::parameters), gradients = by(Purpose::gradients);
  StoragePtr weight;
  {
    const PurposeGuard outer(Purpose::parameters);
    weight = make(4 * KiB);
    {
      const PurposeGuard inner(Purpose::gradients);
      const StoragePtr gradient = make(1 * MiB);
      EXPECT_EQ(by(Purpose::gradients) - gradients, static_cast<std::int64_t>(1 * MiB));
    }
    const StoragePtr bias = make(64);
    EXPECT_EQ(by(Purpose::parameters) - parameters, static_cast<std::int64_t>(4 * KiB + 64));
  }
  EXPECT_EQ(by(Purpose::gradients), gradients);
  EXPECT_EQ(by(Purpose::parameters) - parameters, static_cast<std::int64_t>(4 * KiB))
      << "released under another purpose";
  EXPECT_EQ(weight->bookkeeping.purpose, Purpose::parameters);
}

TEST(Allocator, PurposesHaveNames) {
  EXPECT_STREQ(name(Purpose::activations), "activations");
  EXPECT_STREQ(name(Purpose::optimizer_state), "optimizer state");
  EXPECT_STREQ(name(Purpose::dataset), "data set");
}

TEST(Allocator, EmptyCacheReturnsEverythingThatIsFree) {
  empty_cache();
  const std::int64_t before = memory_stats().reserved;
  {
    std::vector<StoragePtr> live;
    for (int i = 0; i < 3000; ++i) live.push_back(make(static_cast<std::size_t>(i) * 20));
    for (const std::size_t bytes : sizes_of_interest()) live.push_back(make(bytes));
  }
  empty_cache();
  EXPECT_EQ(memory_stats().reserved, before);
}

TEST(Allocator, EmptyCacheLeavesLiveMemoryAlone) {
  std::vector<StoragePtr> live, gone;
  for (int i = 0; i < 2000; ++i) {
    (i % 7 == 0 ? live : gone).push_back(make(static_cast<std::size_t>(8 + i % 3)));
    if (i % 7 == 0) *static_cast<int*>(live.back()->data()) = i;
  }
  gone.clear();
  empty_cache();
  for (int i = 0; i < 2000; ++i) gone.push_back(make(8));
  for (const StoragePtr& storage : gone) std::memset(storage->data(), 0xEE, 8);
  for (std::size_t i = 0; i < live.size(); ++i) EXPECT_EQ(*static_cast<int*>(live[i]->data()), static_cast<int>(7 * i));
}

TEST(Allocator, IdleMemoryStaysBoundedWhenSizesVary) {
  REQUIRE_CACHING();
  empty_cache();
  reset_peak();
  // Every size differs from the ones before by more than the fit allows; unbounded caching would end at 6 GiB.
  std::size_t bytes = 40 * MiB;
  for (int i = 0; i < 60; ++i) {
    make(bytes);
    bytes = bytes > 150 * MiB ? 40 * MiB + static_cast<std::size_t>(i) * 64 * KiB : bytes * 13 / 10;
  }
  const MemoryStats stats = memory_stats();
  EXPECT_LE(static_cast<double>(stats.peak_reserved), 1.25 * static_cast<double>(stats.peak_allocated) + 70e6);
  empty_cache();
}

std::string error_of(std::size_t bytes) {
  try {
    make(bytes);
  } catch (const OutOfMemoryError& error) {
    return error.what();
  }
  return "no error";
}

void expect_contains(const std::string& text, const char* part) {
  EXPECT_NE(text.find(part), std::string::npos) << "expected \"" << part << "\" in: " << text;
}

TEST(Allocator, RefusesAbsurdSizesWithAnExplanation) {
  const StoragePtr live = make(3 * MiB);
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX / 2, std::size_t{1} << 47, std::size_t{1} << 45}) {
    const std::string text = error_of(bytes);
    expect_contains(text, "out of memory on cpu: asked for ");
    expect_contains(text, "activations ");
    expect_contains(text, " reserved, peak ");
    expect_contains(text, "larger than the memory; check its shape");
  }
  expect_contains(error_of(std::size_t{1} << 45), "asked for 32.00 TiB");
  const StoragePtr next = make(5 * MiB);
  std::memset(next->data(), 1, next->bytes());
}

TEST(Allocator, LimitEndsInAnErrorAndFreedMemoryHelps) {
  empty_cache();
  struct Restore {
    ~Restore() { set_memory_limit(0); }
  } restore;
  set_memory_limit(memory_stats().reserved + static_cast<std::int64_t>(100 * MiB));
  StoragePtr most;
  {
    const PurposeGuard guard(Purpose::optimizer_state);
    most = make(80 * MiB);
  }
  const std::string text = error_of(50 * MiB);
  expect_contains(text, "asked for 50.00 MiB");
  expect_contains(text, "optimizer state 80.00 MiB");
  expect_contains(error_of(16 * KiB * 2000), "asked for 31.25 MiB");
  most = StoragePtr();
  EXPECT_EQ(make(50 * MiB)->bytes(), 50 * MiB) << "the cached 80 MiB must make room";
  std::vector<StoragePtr> small;
  EXPECT_THROW(for (int i = 0; i < 100'000; ++i) small.push_back(make(4 * KiB)), OutOfMemoryError);
  EXPECT_GT(small.size(), 15'000u);
  small.clear();
  EXPECT_EQ(make(50 * MiB)->bytes(), 50 * MiB) << "the cached small blocks must make room";
}

TEST(Allocator, RefusesMissingDevicesByNameAndReason) {
  const auto expect_refusal = [](const char* name, const auto& call) {
    try {
      call(Device::cuda(15));
      FAIL() << name;
    } catch (const DeviceError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(std::string(name) + "cuda:15: ")) << error.what();
    }
  };
  expect_refusal("", [](Device device) { minima::empty({2}, {.device = device}); });
  expect_refusal("", [](Device device) { allocator_of(device); });
  expect_refusal("memory_stats: ", [](Device device) { memory_stats(device); });
  expect_refusal("reset_peak: ", [](Device device) { reset_peak(device); });
  expect_refusal("empty_cache: ", [](Device device) { empty_cache(device); });
  expect_refusal("set_memory_limit: ", [](Device device) { set_memory_limit(1, device); });
  expect_refusal("set_memory_fraction: ", [](Device device) { set_memory_fraction(0.5, device); });
  expect_refusal("memory_snapshot: ", [](Device device) { memory_snapshot(device); });
  expect_refusal("caching_stats: ", [](Device device) { caching_stats(device); });
  EXPECT_THROW(set_memory_fraction(1.5, Device::cuda(15)), ValueError);
  EXPECT_THROW(set_memory_limit(-1), ValueError);
}

}  // namespace
}  // namespace minima::allocator_test
