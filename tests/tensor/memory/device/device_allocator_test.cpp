#include <minima/tensor/memory/device/device_allocator.h>

#include "tests/tensor/memory/device/simulated_driver.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/memory/blocks/system_memory.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

namespace minima::device_memory::device_allocator_test {
namespace {

constexpr std::size_t GiB = std::size_t{1} << 30;

/// Sets the memory mode and restores it.
class Mode {
 public:
  explicit Mode(minima::detail::MemoryMode mode) : previous_(minima::detail::storage_mode.exchange(mode)) {}
  ~Mode() { minima::detail::storage_mode.store(previous_); }

 private:
  minima::detail::MemoryMode previous_;
};

StreamMemory& only_stream(DeviceAllocator& allocator) {
  static const char token = 0;
  return allocator.memory().stream(&token);
}

/// Memory that can be written to.
class HostDriver final : public MemoryDriver {
 public:
  Memory memory() override { return {GiB, GiB}; }
  std::size_t page_bytes() override { return 0; }
  char* reserve(std::size_t) override { return nullptr; }
  void unreserve(char*, std::size_t) override {}
  Page create_page() override { return 0; }
  void destroy_page(Page) override {}
  bool map(char*, const Page*, std::size_t) override { return false; }
  void unmap(char*, std::size_t) override {}
  char* allocate(std::size_t bytes) override {
    ++live;
    return static_cast<char*>(std::aligned_alloc(512, (bytes + 511) / 512 * 512));
  }
  void free(char* address) override {
    --live;
    std::free(address);
  }
  Mark record(StreamToken) override { return 1; }
  bool reached(Mark) override { return true; }
  void synchronize() override {}
  bool is_lost() noexcept override { return lost; }
  void fill(StreamToken, char* address, std::size_t bytes, unsigned char value) override {
    std::memset(address, value, bytes);
  }
  std::int64_t find_foreign(StreamToken, const char* address, std::size_t bytes, unsigned char value) override {
    ++looks;
    if (fails_to_look) throw Error("the device is busy");
    for (std::size_t i = 0; i < bytes; ++i)
      if (static_cast<unsigned char>(address[i]) != value) return static_cast<std::int64_t>(i);
    return -1;
  }
  int live = 0;
  bool lost = false;
  bool fails_to_look = false;
  int looks = 0;
};

TEST(DeviceAllocator, AProgramThatAskedForTooMuchHalvesItsBatchAndFinishes) {
  const Mode mode(minima::detail::MemoryMode::cached);
  SimulatedDriver driver(GiB);
  DeviceAllocator allocator(Device::cuda(), driver, only_stream);
  const MemoryStats baseline = allocator.memory().stats();
  int failures = 0;
  const auto step = [&](std::size_t batch) {
    std::vector<StoragePtr> activations;
    for (int layer = 0; layer < 8; ++layer) activations.emplace_back(allocator.allocate(batch << 20));
  };
  std::size_t batch = 512;
  for (bool finished = false; !finished;) {
    try {
      step(batch);
      finished = true;
    } catch (const OutOfMemoryError& error) {
      const std::string text = error.what();
      for (const char* part :
           {"out of memory on cuda:0: asked for ", "capacity 1.00 GiB", "free ", "other processes and CUDA itself ",
            "activations ", "peak ", "reserved but unused ", "largest free block ", "use a smaller batch"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
      batch /= 2;
      ++failures;
    }
  }
  EXPECT_EQ(batch, 128u);
  EXPECT_EQ(failures, 2);
  const MemoryStats after = allocator.memory().stats();
  EXPECT_EQ(after.allocated, baseline.allocated);
  EXPECT_EQ(after.requested, baseline.requested);
  allocator.memory().empty();
  EXPECT_EQ(allocator.memory().stats().reserved, baseline.reserved);
  EXPECT_TRUE(driver.faults.empty()) << driver.faults[0];
}

TEST(DeviceAllocator, TheAdviceFollowsTheNumbers) {
  const auto text = [](std::size_t asked, MemoryDriver::Memory memory, MemoryStats stats, CachingStats caching = {}) {
    return out_of_memory_text(Device::cuda(1), asked, memory, 0, stats, caching);
  };
  const auto says = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << words << " is not in: " << text;
  };
  says(text(9 * GiB, {GiB, 8 * GiB}, {}), "larger than the memory; check its shape");
  says(text(GiB, {GiB / 2, 8 * GiB}, {}), "other processes use most of the memory");
  MemoryStats stats;
  stats.reserved = 8 * static_cast<std::int64_t>(GiB);
  stats.allocated = 6 * static_cast<std::int64_t>(GiB);
  says(text(GiB, {0, 8 * GiB}, stats), "fragmented");
  CachingStats held;
  held.held = 3;
  says(text(GiB, {0, 8 * GiB}, stats, held), "3 storages held");
  stats.allocated = stats.reserved;
  stats.allocated_by[static_cast<int>(Purpose::parameters)] = stats.allocated;
  says(text(GiB, {0, 8 * GiB}, stats), "use a smaller model");
  stats.allocated_by[static_cast<int>(Purpose::dataset)] = stats.allocated;
  says(text(GiB, {0, 8 * GiB}, stats), "keep the data set in CPU memory");
}

TEST(DeviceAllocator, StoragesKnowTheirDeviceAndPurpose) {
  const Mode mode(minima::detail::MemoryMode::cached);
  SimulatedDriver driver(GiB);
  DeviceAllocator allocator(Device::cuda(2), driver, only_stream);
  const PurposeGuard guard(Purpose::gradients);
  const StoragePtr storage(allocator.allocate(1000));
  EXPECT_EQ(storage->device(), Device::cuda(2));
  EXPECT_EQ(storage->bytes(), 1000u);
  EXPECT_EQ(allocator.memory().stats().allocated_by[static_cast<int>(Purpose::gradients)], 1024);
}

TEST(DeviceAllocator, DebugModeFillsWithNanAndFindsWritesOutside) {
  const Mode mode(minima::detail::MemoryMode::debug);
  HostDriver driver;
  DeviceAllocator allocator(Device::cuda(), driver, only_stream);
  {
    const StoragePtr storage(allocator.allocate(40));
    const auto* const values = static_cast<float*>(storage->data());
    for (int i = 0; i < 10; ++i) EXPECT_NE(values[i], values[i]) << "fresh memory is NaN";
  }
  EXPECT_NO_THROW(allocator.throw_damage());
  {
    const StoragePtr storage(allocator.allocate(40));
    static_cast<char*>(storage->data())[43] = 1;
  }
  try {
    StoragePtr(allocator.allocate(8));
    FAIL() << "the damage was not reported";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("a write outside a storage of 40 bytes on cuda:0 (activations): 3 bytes after its end"),
              std::string::npos)
        << text;
  }
  EXPECT_NO_THROW(StoragePtr(allocator.allocate(8))) << "reported once";
  allocator.memory().empty();
  EXPECT_EQ(driver.live, 0);
}

/// Looking waits for the stream, which a capture prohibits.
TEST(DeviceAllocator, DebugModeDoesNotLookDuringACapture) {
  const Mode mode(minima::detail::MemoryMode::debug);
  HostDriver driver;
  DeviceAllocator allocator(Device::cuda(), driver, only_stream);
  {
    const minima::detail::CaptureScope scope(Device::cuda());
    const StoragePtr storage(allocator.allocate(40));
  }
  EXPECT_EQ(driver.looks, 0);
  StoragePtr(allocator.allocate(40));
  EXPECT_EQ(driver.looks, 2);
}

TEST(DeviceAllocator, DebugModeFreesWhatItCouldNotLookAt) {
  const Mode mode(minima::detail::MemoryMode::debug);
  HostDriver driver;
  DeviceAllocator allocator(Device::cuda(), driver, only_stream);
  driver.fails_to_look = true;
  StoragePtr(allocator.allocate(40));
  EXPECT_EQ(allocator.memory().stats().allocated, 0);
  EXPECT_THROW(allocator.throw_damage(), Error);
}

TEST(DeviceAllocator, WithoutCacheEveryStorageIsTheDrivers) {
  const Mode mode(minima::detail::MemoryMode::direct);
  HostDriver driver;
  DeviceAllocator allocator(Device::cuda(), driver, only_stream);
  {
    const StoragePtr a(allocator.allocate(100)), b(allocator.allocate(0));
    EXPECT_EQ(driver.live, 2);
    EXPECT_EQ(allocator.memory().stats().allocated, 100);
  }
  EXPECT_EQ(driver.live, 0);
  EXPECT_EQ(allocator.memory().stats().allocated, 0);
}

TEST(DeviceAllocator, AfterAnUnrecoverableErrorFreesDoNothing) {
  const Mode mode(minima::detail::MemoryMode::direct);
  HostDriver driver;
  DeviceAllocator allocator(Device::cuda(), driver, only_stream);
  StoragePtr storage(allocator.allocate(100));
  void* const data = storage->data();
  driver.lost = true;
  storage = {};
  EXPECT_EQ(driver.live, 1);
  std::free(data);
}

}  // namespace
}  // namespace minima::device_memory::device_allocator_test
