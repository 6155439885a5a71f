#include <minima/data/loader/loader.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include "tests/support/temporary_folder.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace minima::data::loader_fault_test {
namespace {

using minima::test::message_of;
using Indices = std::vector<std::int64_t>;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Samples whose file is broken, some only the first few times.
struct Broken {
  Indices bad;
  int passing_after = 1 << 30;
  std::shared_ptr<std::atomic<int>> failures = std::make_shared<std::atomic<int>>(0);
  std::int64_t size() const { return 20; }
  std::int64_t get(std::int64_t index) const {
    for (const std::int64_t b : bad)
      if (index == b && failures->fetch_add(1) < passing_after) throw FormatError("byte 7: bad chunk");
    return index;
  }
  std::string describe(std::int64_t index) const { return str("dogs/", index, ".png"); }
};

template <class Loader>
Indices collect(Loader& loader) {
  Indices all;
  for (auto& batch : loader) {
    const auto values = batch.template to_vector<std::int64_t>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

TEST(LoaderFaults, AnExceptionNamesSampleAndFile) {
  for (const int workers : {0, 2}) {
    DataLoader loader(Broken{{13}}, {.batch_size = 4, .workers = workers});
    const std::string message = message_of<FormatError>([&] { collect(loader); });
    EXPECT_CONTAINS(message, "bad chunk");
    EXPECT_CONTAINS(message, "sample 13 (dogs/13.png)");
    EXPECT_CONTAINS(message, "batch 3 of epoch 0");
  }
}

TEST(LoaderFaults, SkippingLeavesOutAndCounts) {
  for (const int workers : {0, 1, 4}) {
    // A whole batch (8 to 11) and two single samples.
    DataLoader loader(Broken{{1, 8, 9, 10, 11, 19}}, {.batch_size = 4, .workers = workers, .on_error = OnError::skip});
    EXPECT_EQ(collect(loader), (Indices{0, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 16, 17, 18}));
    EXPECT_EQ(loader.stats().skipped, 6);
    ASSERT_EQ(loader.faults().size(), 6u);
    bool found = false;
    for (const std::string& fault : loader.faults())
      found = found || fault.find("sample 8 (dogs/8.png) of epoch 0: byte 7: bad chunk") == 0;
    EXPECT_TRUE(found) << loader.faults()[0];
    EXPECT_EQ(loader.epoch(), 1u);
  }
}

TEST(LoaderFaults, RetryingOutlivesPassingTrouble) {
  DataLoader loader(Broken{{5}, 2}, {.batch_size = 4, .workers = 1, .retries = 2});
  EXPECT_EQ(collect(loader).size(), 20u);
  EXPECT_EQ(loader.stats().retried, 2);
  EXPECT_EQ(loader.stats().skipped, 0);
  DataLoader impatient(Broken{{5}, 2}, {.batch_size = 4, .workers = 1, .retries = 1});
  EXPECT_THROW(collect(impatient), FormatError);
}

TEST(LoaderFaults, TheDepthOfPrefetchingDoesNotShrinkWithErrors) {
  DataLoader loader(Broken{{4}}, {.batch_size = 1, .workers = 2, .prefetch = 2});
  for (int attempt = 0; attempt < 20; ++attempt) {
    EXPECT_THROW(collect(loader), FormatError);
    loader.set_epoch(0);
  }
}

/// Hangs at some samples until released, possibly after the loader's destruction, and then uses its members.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  std::atomic<int> inside{0}, left{0}, alive{0};
  void release() {
    {
      const std::lock_guard lock(mutex);
      open = true;
    }
    changed.notify_all();
  }
};
struct Hanging {
  std::int64_t at;
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  std::vector<std::int64_t> values = Indices(1000, 7);
  std::int64_t size() const { return 1000; }
  Indices fetch(std::span<const std::int64_t> indices) const {
    for (const std::int64_t index : indices)
      if (index == at) {
        ++gate->inside;
        std::unique_lock lock(gate->mutex);
        gate->changed.wait(lock, [&] { return gate->open; });
      }
    Indices result;
    for (const std::int64_t index : indices) result.push_back(index + values[static_cast<std::size_t>(index)]);
    if (gate->open) ++gate->left;
    return result;
  }
};

TEST(LoaderFaults, TheTimeoutNamesTheStuckWorker) {
  DataLoader loader(Hanging{5}, {.batch_size = 2, .workers = 2, .timeout = 0.2, .grace = 0.05});
  const auto gate = loader.dataset().gate;
  int batches = 0;
  const std::string message = message_of<Error>([&] {
    for (auto& batch : loader) batches += batch.size() == 2;
  });
  EXPECT_EQ(batches, 2) << "what was before it arrives";
  EXPECT_CONTAINS(message, "no batch after 0.2 s");
  EXPECT_CONTAINS(message, "has been fetching batch 2 of epoch 0, samples [4, 5] for 0.");
  EXPECT_TRUE(message.find("worker 0") != std::string::npos || message.find("worker 1") != std::string::npos)
      << message;

  // The loader continues with new workers while the stuck one keeps what it uses alive.
  State state = loader.state_dict();
  EXPECT_EQ(state.integer("delivered"), 4);
  loader.set_epoch(0);
  batches = 0;
  for (auto& batch : loader)
    if (batch.empty() || ++batches == 2) break;
  EXPECT_EQ(batches, 2);
  gate->release();
  while (gate->left < gate->inside) std::this_thread::yield();
}

TEST(LoaderFaults, DestructionLeavesAStuckWorkerBehindWithAllItTouches) {
  std::shared_ptr<Gate> gate;
  std::weak_ptr<Gate> watch;
  const auto start = Clock::now();
  {
    DataLoader loader(Hanging{5}, {.batch_size = 2, .workers = 2, .grace = 0.1});
    gate = loader.dataset().gate;
    for (auto& batch : loader) {
      EXPECT_EQ(batch.size(), 2u);
      while (gate->inside == 0) std::this_thread::yield();
      break;
    }
  }
  EXPECT_LT(seconds_since(start), 5);
  EXPECT_EQ(gate->left, 0);
  watch = gate;
  gate->release();  // the worker now reads the dataset's values and writes its batch
  gate.reset();
  const auto deadline = Clock::now() + std::chrono::seconds(20);
  while (!watch.expired() && Clock::now() < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(watch.expired()) << "the worker frees dataset and batches when it comes back";
}

}  // namespace
}  // namespace minima::data::loader_fault_test
