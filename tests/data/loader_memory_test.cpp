#include <minima/data/loader.h>
#include <minima/tensor/allocator.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <new>
#include <unistd.h>

// Nothing is allocated per batch once the loader runs, and memory stays as it is however long that is.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCounting = false;  // their own operator new must stay
#else
constexpr bool kCounting = true;
namespace {
std::atomic<std::int64_t> news{0};
}
void* operator new(std::size_t bytes) {
  news.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
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

double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
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
          // A slot that was never needed before may have got its memory only now.
          const int slots = 2 * workers + 1;
          EXPECT_LE(count_of_news() - news_before, slots) << workers << " workers, 80 batches";
          EXPECT_LE(memory_stats().allocations - tensors_before, workers ? 2 * slots : 0) << workers << " workers";
        }
      }
    }
    EXPECT_EQ(sum, 3 * 202);
    if (kCounting) { EXPECT_GT(count_of_news(), 0) << "the counter counts"; }
  }
}

TEST(LoaderMemory, StaysFlatOverManyEpochs) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the address sanitizer keeps freed memory back";
#endif
  // MINIMA_LONG=1 makes it the million batches of a day's training.
  const bool full = std::getenv("MINIMA_LONG") != nullptr;
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
    std::cout << batches << " batches with " << workers << " workers: " << before << " MB resident after a tenth, " << after << " MB at the end\n";
    EXPECT_EQ(batches, 100 * epochs);
    EXPECT_LE(after, 1.01 * before + 0.2);
  }
}

}  // namespace
}  // namespace minima::data
