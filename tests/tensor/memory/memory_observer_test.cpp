#include <minima/tensor/storage/memory_observer.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/tensor/storage/storage.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

namespace minima::memory_observer_test {
namespace {

using Change = std::pair<const Storage*, std::int64_t>;

class Listener final : public MemoryObserver {
 public:
  Listener() : previous_(set_memory_observer(this)) {}
  Listener(const Listener&) = delete;
  ~Listener() { set_memory_observer(previous_); }
  void change(const Storage& storage, std::int64_t bytes) noexcept override {
    changes.emplace_back(&storage, bytes);
    purposes.push_back(storage.bookkeeping.purpose);
  }
  std::vector<Change> changes;
  std::vector<Purpose> purposes;

 private:
  MemoryObserver* previous_;
};

TEST(MemoryObserver, HearsOfWhatIsAllocatedAndFreed) {
  Allocator& allocator = allocator_of(Device::cpu());
  Listener listener;
  std::vector<Change> expected;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, std::size_t{5} << 20}) {
    const std::int64_t before = memory_stats().allocated;
    const PurposeGuard guard(Purpose::temporaries);
    Storage* const storage = allocator.allocate(bytes);
    const std::int64_t counted = memory_stats().allocated - before;
    expected.emplace_back(storage, counted);
    expected.emplace_back(storage, -counted);
    storage->release();
  }
  EXPECT_EQ(listener.changes, expected);
  EXPECT_EQ(listener.purposes, std::vector<Purpose>(6, Purpose::temporaries));
}

TEST(MemoryObserver, IsOfOneThread) {
  Allocator& allocator = allocator_of(Device::cpu());
  Listener listener;
  std::thread([&] { allocator.allocate(64)->release(); }).join();
  EXPECT_TRUE(listener.changes.empty());
  Storage* storage = nullptr;
  std::thread([&] { storage = allocator.allocate(64); }).join();
  storage->release();
  ASSERT_EQ(listener.changes.size(), 1u);
  EXPECT_LT(listener.changes[0].second, 0);
}

}  // namespace
}  // namespace minima::memory_observer_test
