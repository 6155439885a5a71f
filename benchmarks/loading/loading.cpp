#include <minima/data/fashion_mnist.h>
#include <minima/data/images/folder.h>
#include <minima/data/loader.h>
#include <minima/data/transforms/transforms.h>
#include <minima/io/jpeg.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

// How many images a second the loader delivers, with 0, 1 and 2 workers: Fashion-MNIST in memory, and a folder of JPEG
// images with random resized crops. torch_loading.py beside this file does the same work with PyTorch.
//
//   loading memory            Fashion-MNIST, batches of 256, shuffled
//   loading make FOLDER       writes 2,000 JPEG images of 500 × 375 for the next
//   loading jpeg FOLDER       batches of 64
//   loading batches           the time that one hand-over from a worker takes

namespace {

using namespace minima;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The best of several epochs, in images a second; with `processor`, in images a second of processor time, all threads
/// together, which other programs on the machine change little.
template <class Loader>
double best_rate(Loader& loader, int epochs, double* processor = nullptr) {
  double best = 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const auto start = Clock::now();
    const std::clock_t used = std::clock();
    std::int64_t images = 0;
    for (auto& [x, y] : loader) images += y.numel();
    best = std::max(best, static_cast<double>(images) / seconds_since(start));
    if (processor) *processor = std::max(*processor, static_cast<double>(images) * CLOCKS_PER_SEC / static_cast<double>(std::clock() - used));
  }
  return best;
}

void memory() {
  const data::LabelledImages train = data::FashionMnist::train({});
  const double bytes = 28 * 28 + 8;
  const std::size_t size = static_cast<std::size_t>(train.images.numel());
  std::vector<char> copy(size);
  double memcpy_rate = 0;
  for (int i = 0; i < 10; ++i) {
    const auto start = Clock::now();
    std::memcpy(copy.data(), train.images.raw_data(), size);
    asm volatile("" : : "r"(copy.data()) : "memory");
    memcpy_rate = std::max(memcpy_rate, static_cast<double>(size) / seconds_since(start));
  }
  // Into a batch's memory, which stays in the cache, as a loop over batches does it.
  double batch_rate = 0;
  for (int i = 0; i < 10; ++i) {
    const auto start = Clock::now();
    for (std::size_t at = 0, part = 256 * 784; at + part <= size; at += part) {
      std::memcpy(copy.data(), static_cast<const char*>(train.images.raw_data()) + at, part);
      asm volatile("" : : "r"(copy.data()) : "memory");
    }
    batch_rate = std::max(batch_rate, static_cast<double>(size) / seconds_since(start));
  }
  std::printf("memcpy: %.2f GB/s to other memory, %.2f GB/s into one batch's\n", 1e-9 * memcpy_rate, 1e-9 * batch_rate);
  for (const int workers : {0, 1, 2})
    for (const bool shuffle : {false, true}) {
      data::DataLoader loader(data::TensorDataset(train.images, train.labels), {.batch_size = 256, .shuffle = shuffle, .workers = workers});
      const double rate = best_rate(loader, 12);
      std::printf("memory, %d workers, %s: %.0f images/s, %.2f GB/s\n", workers, shuffle ? "shuffled" : "in order", rate, 1e-9 * rate * bytes);
    }
}

void make(const std::string& folder) {
  constexpr int kHeight = 375, kWidth = 500, kImages = 2000;
  std::vector<std::uint8_t> pixels(kHeight * kWidth * 3);
  for (int i = 0; i < kImages; ++i) {
    data::RandomStream random(static_cast<std::uint64_t>(i));
    const double a = random.uniform(0.01, 0.2), b = random.uniform(0.01, 0.2), c = random.uniform(0, 6);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        for (int k = 0; k < 3; ++k) {
          const double wave = 60 * std::sin(a * x + k) + 50 * std::cos(b * y + c + 0.01 * x * k);
          pixels[static_cast<std::size_t>((y * kWidth + x) * 3 + k)] =
              static_cast<std::uint8_t>(std::clamp(128 + wave + 20 * (random.word() / 4294967296.0 - 0.5), 0.0, 255.0));
        }
    const std::string path = folder + "/class" + std::to_string(i % 10);
    std::filesystem::create_directories(path);
    std::ofstream(path + "/" + std::to_string(i) + ".jpg", std::ios::binary) << encode_jpeg(pixels.data(), kHeight, kWidth, 3, 85);
  }
}

void jpeg(const std::string& folder) {
  for (const bool scaled : {false, true})
    for (const int workers : {0, 1, 2}) {
      const data::ImageFolder images(folder, {.least_side = scaled ? 160 : 0});
      const auto augmented = data::with_transform(images, data::compose(data::RandomResizedCrop{.size = 160}, data::RandomHorizontalFlip{}));
      data::DataLoader loader(augmented, {.batch_size = 64, .shuffle = true, .workers = workers});
      double processor = 0;
      const double rate = best_rate(loader, 2, &processor);
      std::printf("jpeg, %d workers, %s decoding: %.0f images/s, %.0f images per second of processor time\n", workers, scaled ? "scaled" : "whole", rate, processor);
      std::fflush(stdout);
    }
}

void batches() {
  Tensor x = empty({1000, 16}, {.dtype = DType::uint8}), y = empty({1000}, {.dtype = DType::int64});
  std::memset(x.raw_data(), 0, 16'000);
  std::memset(y.raw_data(), 0, 8'000);
  for (const int workers : {0, 1, 2}) {
    data::DataLoader loader(data::TensorDataset(x, y), {.batch_size = 1, .workers = workers});
    best_rate(loader, 20);
    std::printf("%d workers: %.2f us a batch\n", workers, 1e6 / best_rate(loader, 100));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "memory") memory();
  else if (what == "make" && argc > 2) make(argv[2]);
  else if (what == "jpeg" && argc > 2) jpeg(argv[2]);
  else if (what == "batches") batches();
  else {
    std::fprintf(stderr, "usage: loading memory | make FOLDER | jpeg FOLDER | batches\n");
    return 2;
  }
}
