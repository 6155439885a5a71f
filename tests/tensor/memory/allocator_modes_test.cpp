#include <minima/tensor/settings.h>
#include <minima/tensor/storage/allocator.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/storage/storage.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

// Debug mode, and the settings that the environment fixes before the first allocation. Tests of the latter run in
// separate processes ("threadsafe" death tests restart the program).

namespace minima::allocator_modes_test {
namespace {

StoragePtr make(std::size_t bytes) { return StoragePtr(allocator_of(Device::cpu()).allocate(bytes)); }

class DebugMemory : public testing::Test {
 protected:
  void SetUp() override { debug_memory(true); }
  void TearDown() override {
    debug_memory(false);
    try {
      check_memory();
    } catch (const Error& error) {
      ADD_FAILURE() << "left over: " << error.what();
    }
  }
  static std::string finding() {
    try {
      check_memory();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(DebugMemory, FreshMemoryIsNan) {
  const StoragePtr storage = make(64);
  EXPECT_TRUE(std::isnan(static_cast<float*>(storage->data())[3]));
  EXPECT_TRUE(std::isnan(static_cast<double*>(storage->data())[7]));
}

TEST_F(DebugMemory, FindsAWriteBeyondTheEndOfLiveMemory) {
  const PurposeGuard guard(Purpose::gradients);
  const StoragePtr storage = make(100);
  static_cast<char*>(storage->data())[100] = 0;
  EXPECT_EQ(finding(), "memory: a storage of 100 bytes (gradients) was written to beyond its end, at byte 100");
  EXPECT_EQ(finding(), "") << "reported twice";
}

TEST_F(DebugMemory, FindsAWriteBeforeTheStart) {
  const StoragePtr storage = make(100);
  static_cast<char*>(storage->data())[-3] = 0;
  EXPECT_EQ(finding(), "memory: a storage of 100 bytes (activations) was written to before its start, at byte -3");
}

TEST_F(DebugMemory, TheNextAllocationReportsWhatTheReleaseFound) {
  StoragePtr storage = make(0);
  static_cast<char*>(storage->data())[5] = 0;
  storage = StoragePtr();
  EXPECT_THROW(make(8), Error);
  EXPECT_NO_THROW(make(8));
}

TEST_F(DebugMemory, FindsAWriteAfterTheRelease) {
  StoragePtr storage = make(1000);
  auto* const data = static_cast<unsigned char*>(storage->data());
  storage = StoragePtr();
  EXPECT_EQ(data[500], 0xFE) << "freed memory is filled and quarantined";
  data[500] = 1;
  EXPECT_EQ(finding(), "memory: a storage of 1000 bytes (activations) was written to after its release, at byte 500");
}

TEST_F(DebugMemory, TellsSeveralFindingsOneAfterTheOther) {
  const StoragePtr a = make(10), b = make(20);
  static_cast<char*>(a->data())[10] = 0;
  static_cast<char*>(b->data())[20] = 0;
  EXPECT_NE(finding().find("10 bytes"), std::string::npos);
  EXPECT_NE(finding().find("20 bytes"), std::string::npos);
  EXPECT_EQ(finding(), "");
}

TEST_F(DebugMemory, TheQuarantineIsBounded) {
  const std::int64_t before = memory_stats().reserved;
  for (int i = 0; i < 100; ++i) make(1 << 20);
  EXPECT_LE(memory_stats().reserved - before, 18 << 20);
}

TEST_F(DebugMemory, CountsLikeTheOrdinaryMode) {
  const MemoryStats before = memory_stats();
  const StoragePtr storage = make(1000);
  EXPECT_EQ(memory_stats().allocated - before.allocated, 1000);
  EXPECT_EQ(memory_stats().requested - before.requested, 1000);
}

TEST_F(DebugMemory, MemoryFromBeforeItIsReleasedAsItWasMade) {
  debug_memory(false);
  StoragePtr ordinary = make(100);
  debug_memory(true);
  StoragePtr watched = make(100);
  ordinary = StoragePtr();
  debug_memory(false);
  watched = StoragePtr();
  EXPECT_EQ(finding(), "");
}

class MemoryModes : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(MemoryModes, WithoutCacheEveryAllocationReachesTheSystem) {
  EXPECT_EXIT(
      {
        setenv("MINIMA_NO_CACHE", "1", 1);
        setenv("MINIMA_DEBUG_MEMORY", "0", 1);
        bool right = true;
        for (const std::size_t bytes : {0u, 100u, 40'000u, 5'000'000u}) {
          const std::int64_t before = memory_stats().system_allocations;
          for (int i = 0; i < 10; ++i) std::memset(make(bytes)->data(), 1, bytes);
          right = right && memory_stats().system_allocations == before + 10;
        }
        right = right && memory_stats().reserved == 0 && memory_stats().allocated == 0;
        std::exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(MemoryModes, TheEnvironmentTurnsDebugModeOn) {
  EXPECT_EXIT(
      {
        setenv("MINIMA_DEBUG_MEMORY", "1", 1);
        const StoragePtr storage = make(4);
        const bool filled = std::isnan(*static_cast<float*>(storage->data()));
        static_cast<char*>(storage->data())[4] = 0;
        bool found = false;
        try {
          make(4);
          check_memory();
        } catch (const Error&) {
          found = true;
        }
        std::exit(filled && found ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(MemoryModes, ExitIsSafeWhileDetachedThreadsAllocate) {
  EXPECT_EXIT(
      {
        for (int t = 0; t < 3; ++t)
          std::thread([] {
            for (;;) make(1000);
          }).detach();
        static const StoragePtr outlives_main = make(100);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

#if defined(__SANITIZE_ADDRESS__)
TEST_F(MemoryModes, AddressSanitizerSeesAReadOfReleasedMemory) {
  EXPECT_DEATH(
      {
        StoragePtr storage = make(1000);
        const volatile char* data = static_cast<const char*>(storage->data());
        storage = StoragePtr();
        std::exit(data[0]);
      },
      "heap-use-after-free");
}

TEST_F(MemoryModes, AddressSanitizerSeesTheFirstByteBeyondTheEnd) {
  EXPECT_DEATH(
      {
        const StoragePtr storage = make(1001);
        static_cast<volatile char*>(storage->data())[1001] = 1;
        std::exit(0);
      },
      "heap-buffer-overflow");
}

// The other allocator tests skip what needs the cache; this runs them with it.
TEST_F(MemoryModes, CachingPassesItsTestsUnderAddressSanitizer) {
  if (std::getenv("MINIMA_NO_CACHE")) GTEST_SKIP() << "MINIMA_NO_CACHE has chosen whether memory is cached";
  EXPECT_EQ(std::system("MINIMA_NO_CACHE=0 /proc/$PPID/exe --gtest_brief=1 --gtest_filter='Allocator*'"), 0);
}
#endif

}  // namespace
}  // namespace minima::allocator_modes_test
