#include <minima/data/loader/loader.h>
#include <minima/tensor/storage/allocator.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <new>
#include <string>

// A running loader allocates nothing per batch, and its memory does not grow.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool counting = false;  // sanitizers replace operator new themselves
#else
constexpr bool counting = true;
namespace {
std::atomic<std::int64_t> news{0};
}
// Not inlined, or g++ sees malloc's memory go to delete, or delete's to free.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  news.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace minima::data {
namespace {

std::int64_t count_of_news() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 0;
#else
  return news.load();
#endif
}

/// Counted from the page tables, as the figure in statm is only to within 32 pages of every processor.
double resident_megabytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::string word;
  double kilobytes = 0;
  while (file >> word && word != "Rss:") {}
  file >> kilobytes;
  return kilobytes * 1024e-6;
}

TensorDataset<2> images_and_labels(std::int64_t count, std::int64_t pixels) {
  Tensor images = empty({count, pixels}, {.dtype = DType::uint8}), labels = empty({count}, {.dtype = DType::int64});
  std::fill_n(images.data<std::uint8_t>(), images.numel(), std::uint8_t{7});
  std::fill_n(labels.data<std::int64_t>(), count, 3);
  return TensorDataset(images, labels);
}

TEST(LoaderMemory, AllocatesNothingPerBatchInSteadyState) {
  for (const int workers : {0, 1, 3}) {
    DataLoader loader(images_and_labels(10'050, 300), {.batch_size = 100, .shuffle = true, .workers = workers});
    std::int64_t sum = 0, news_before = 0, tensors_before = 0;
    int batches = 0;
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (auto& [x, y] : loader) {
        sum += y.data<std::int64_t>()[0];
        if (++batches % 101 == 20) {  // every slot has been through; the last batch of the first epoch was a short one
          news_before = count_of_news();
          tensors_before = memory_stats().allocations;
        }
        if (batches % 101 == 100) {
          // A slot may have been used for the first time only now.
          const int slots = 2 * workers + 1;
          EXPECT_LE(count_of_news() - news_before, slots) << workers << " workers, 80 batches";
          EXPECT_LE(memory_stats().allocations - tensors_before, workers ? 2 * slots : 0) << workers << " workers";
        }
      }
    }
    EXPECT_EQ(sum, 3 * 202);
    if (counting) {
      EXPECT_GT(count_of_news(), 0) << "the counter counts";
    }
  }
}

/// A device in host memory whose copies complete at once.
class HostMemory final : public Transfer {
 public:
  Tensor allocate(const Shape& shape, DType dtype) override { return empty(shape, {.dtype = dtype}); }
  void wait_free(int) override {}
  bool is_free(int) override { return true; }
  void copy(const Tensor& from, const Tensor& to) override {
    std::memcpy(to.raw_data(), from.raw_data(), static_cast<std::size_t>(from.numel()) * from.itemsize());
  }
  void finish(int) override {}
  void wait_copied(int) override {}
  void acquire_slot(int) override {}
  void release_slot(int) override {}
};

TEST(LoaderMemory, AllocatesNothingPerBatchOnTheWayToADevice) {
  DataLoader loader(images_and_labels(10'050, 300),
                    {.batch_size = 100, .workers = 2, .transfer = Ref<HostMemory>(new HostMemory)});
  std::int64_t sum = 0, news_before = 0, tensors_before = 0;
  int batches = 0;
  for (int epoch = 0; epoch < 2; ++epoch)
    for (auto& [x, y] : loader) {
      sum += y.data<std::int64_t>()[0];
      if (++batches == 130) {
        news_before = count_of_news();
        tensors_before = memory_stats().allocations;
      }
      if (batches == 200) {  // a slot may have been used for the first time only now
        EXPECT_LE(count_of_news() - news_before, 8) << "70 batches";
        EXPECT_LE(memory_stats().allocations - tensors_before, 16);
      }
    }
  EXPECT_EQ(sum, 3 * 202);
}

TEST(LoaderMemory, StaysFlatOverManyEpochs) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the address sanitizer keeps freed memory back";
#endif
  // MINIMA_LONG=1 runs a million batches, a day's training.
  const bool full = std::getenv("MINIMA_LONG") != nullptr;
  resident_megabytes();  // page in what reading the figure needs
  for (const int workers : {0, 2}) {
    DataLoader loader(images_and_labels(1000, 64), {.batch_size = 10, .shuffle = true, .workers = workers});
    const int epochs = full ? 10'000 : 500;
    double before = 0;
    std::int64_t batches = 0;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      for (auto& [x, y] : loader) batches += y.numel() == 10;
      if (epoch == epochs / 10) before = resident_megabytes();
    }
    const double after = resident_megabytes();
    std::cout << batches << " batches with " << workers << " workers: " << before << " MB resident after a tenth, "
              << after << " MB at the end\n";
    EXPECT_EQ(batches, 100 * epochs);
    ASSERT_GT(before, 1);
    EXPECT_LE(after, (full ? 1.01 : 1.03) * before) << "a short run has still code to touch for the first time";
  }
}

}  // namespace
}  // namespace minima::data
