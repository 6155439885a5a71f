#include <minima/data/datasets/fashion_mnist.h>
#include <minima/data/images/folder.h>
#include <minima/data/loader/loader.h>
#include <minima/data/transforms/transforms.h>
#include <minima/io/plots/jpeg_writer.h>
#include <minima/io/text/json.h>

#include "tests/data/loader/simulated_device.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// Images per second from the loader with 0, 1 and 2 workers: Fashion-MNIST in memory, and a folder of JPEG images with
// random resized crops. torch_loading.py does the same with PyTorch.
//
//   loading memory            Fashion-MNIST, batches of 256, shuffled
//   loading make FOLDER       writes 2,000 JPEG images of 500 × 375 for `jpeg`
//   loading jpeg FOLDER       batches of 64
//   loading batches           the time to hand over one batch from a worker
//   loading device [TRACE]    the share of time a simulated device waits for batches; writes the loader's trace
//   loading flat [BATCHES]    resident memory over a million batches of a tiny dataset, with 0 and 2 workers

namespace {

using namespace minima;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The best of several epochs, in images per second. `processor` gets the best in images per second of processor time
/// of all threads, which other programs on the machine hardly affect.
template <class Loader>
double best_rate(Loader& loader, int epochs, double* processor = nullptr) {
  double best = 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const auto start = Clock::now();
    const std::clock_t used = std::clock();
    std::int64_t images = 0;
    for (auto& [x, y] : loader) images += y.numel();
    best = std::max(best, static_cast<double>(images) / seconds_since(start));
    if (processor)
      *processor =
          std::max(*processor, static_cast<double>(images) * CLOCKS_PER_SEC / static_cast<double>(std::clock() - used));
  }
  return best;
}

void memory() {
  const data::LabelledImages train = data::FashionMnist::train({});
  const double bytes = 28 * 28 + 8;
  const std::size_t size = static_cast<std::size_t>(train.images.numel());
  std::vector<char> copy(size);
  // The best of 20 runs, by wall time and by processor time.
  const auto print_rate = [&](const char* what, auto&& run) {
    double wall = 0, processor = 0;
    for (int i = 0; i < 20; ++i) {
      const auto start = Clock::now();
      const std::clock_t used = std::clock();
      run();
      wall = std::max(wall, static_cast<double>(size) / seconds_since(start));
      processor =
          std::max(processor, static_cast<double>(size) * CLOCKS_PER_SEC / static_cast<double>(std::clock() - used));
    }
    std::printf("memcpy %s: %.2f GB/s, %.2f GB per second of processor time\n", what, 1e-9 * wall, 1e-9 * processor);
  };
  print_rate("to other memory", [&] {
    std::memcpy(copy.data(), train.images.raw_data(), size);
    asm volatile("" : : "r"(copy.data()) : "memory");
  });
  print_rate("into one batch's memory", [&] {  // stays in the cache, as in a loop over batches
    for (std::size_t at = 0, part = 256 * 784; at + part <= size; at += part) {
      std::memcpy(copy.data(), static_cast<const char*>(train.images.raw_data()) + at, part);
      asm volatile("" : : "r"(copy.data()) : "memory");
    }
  });
  for (const int workers : {0, 1, 2})
    for (const bool shuffle : {false, true}) {
      data::DataLoader loader(data::TensorDataset(train.images, train.labels),
                              {.batch_size = 256, .shuffle = shuffle, .workers = workers});
      double processor = 0;
      const double rate = best_rate(loader, 40, &processor);
      std::printf("memory, %d workers, %s: %.0f images/s, %.2f GB/s; by processor time %.0f images/s, %.2f GB/s\n",
                  workers, shuffle ? "shuffled" : "in order", rate, 1e-9 * rate * bytes, processor,
                  1e-9 * processor * bytes);
    }
}

void make(const std::string& folder) {
  constexpr int height = 375, width = 500, image_count = 2000;
  std::vector<std::uint8_t> pixels(height * width * 3);
  for (int i = 0; i < image_count; ++i) {
    data::RandomStream random(static_cast<std::uint64_t>(i));
    const double a = random.uniform(0.01, 0.2), b = random.uniform(0.01, 0.2), c = random.uniform(0, 6);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (int k = 0; k < 3; ++k) {
          const double wave = 60 * std::sin(a * x + k) + 50 * std::cos(b * y + c + 0.01 * x * k);
          pixels[static_cast<std::size_t>((y * width + x) * 3 + k)] =
              static_cast<std::uint8_t>(std::clamp(128 + wave + 20 * (random.word() / 4294967296.0 - 0.5), 0.0, 255.0));
        }
    const std::string path = folder + "/class" + std::to_string(i % 10);
    std::filesystem::create_directories(path);
    std::ofstream(path + "/" + std::to_string(i) + ".jpg", std::ios::binary)
        << encode_jpeg(pixels.data(), height, width, 3, 85);
  }
}

void jpeg(const std::string& folder) {
  for (const bool scaled : {false, true})
    for (const int workers : {0, 1, 2}) {
      const data::ImageFolder images(folder, {.min_side = scaled ? 160 : 0});
      const auto augmented = data::with_transform(
          images, data::compose(data::RandomResizedCrop{.size = 160}, data::RandomHorizontalFlip{}));
      data::DataLoader loader(augmented, {.batch_size = 64, .shuffle = true, .workers = workers});
      double processor = 0;
      const double rate = best_rate(loader, 2, &processor);
      std::printf("jpeg, %d workers, %s decoding: %.0f images/s, %.0f images per second of processor time\n", workers,
                  scaled ? "scaled" : "whole", rate, processor);
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
    std::printf("%d workers: %.2f us per batch\n", workers, 1e6 / best_rate(loader, 100));
  }
}

/// A dataset whose batches take a fixed time to fetch.
struct Slow {
  std::int64_t count;
  std::chrono::microseconds time;
  std::int64_t size() const { return count; }
  std::array<Tensor, 1> fetch(std::span<const std::int64_t> indices, const data::FetchContext& context) const {
    std::array<Tensor, 1> batch;
    fetch_into(indices, context, batch);
    return batch;
  }
  void fetch_into(std::span<const std::int64_t> indices, const data::FetchContext&,
                  std::array<Tensor, 1>& batch) const {
    std::this_thread::sleep_for(time);
    data::reuse_or_allocate(batch[0], {static_cast<std::int64_t>(indices.size())}, DType::int64);
    std::copy(indices.begin(), indices.end(), batch[0].data<std::int64_t>());
  }
};

std::vector<std::pair<double, double>> intervals(const Json& trace, const char* name) {
  std::vector<std::pair<double, double>> found;
  for (const Json& event : trace.at("traceEvents").items())
    if (event.at("name").string() == name)
      found.emplace_back(event.at("ts").number(), event.at("ts").number() + event.at("dur").number());
  std::sort(found.begin(), found.end());
  return found;
}
double total(const Json& trace, const char* name) {
  double sum = 0;
  for (const auto& [begin, end] : intervals(trace, name)) sum += end - begin;
  return sum;
}
/// The share of the time of events `name` that overlaps with events `other`.
double overlap(const Json& trace, const char* name, const char* other) {
  double sum = 0;
  for (const auto& [begin, end] : intervals(trace, name)) {
    double at = begin;
    for (const auto& [other_begin, other_end] : intervals(trace, other)) {
      const double from = std::max(at, other_begin), to = std::min(end, other_end);
      if (to > from) {
        sum += to - from;
        at = to;
      }
    }
  }
  return sum / total(trace, name);
}

/// Two workers fetch a batch in 9 ms each, a copy takes 3 ms and a step 5 ms, so loading can keep up; the proportions
/// are those of uint8 images for a GPU. Work is simulated by sleeping; threads, queues and events are real.
void device(const std::string& trace) {
  using std::chrono::microseconds;
  constexpr int ahead = 2;
  for (int run = 0; run < 5; ++run) {
    Ref<data::test::SimulatedDevice> simulated(new data::test::SimulatedDevice(ahead + 1, microseconds(3000)));
    data::DataLoader loader(
        Slow{2000, microseconds(9000)},
        {.batch_size = 4, .workers = 2, .device_prefetch = ahead, .transfer = simulated, .trace_events = 5000});
    for ([[maybe_unused]] auto& [x] : loader) simulated->compute(microseconds(5000));
    std::printf("500 batches: the device waited %.3f %% of the time\n", 100 * simulated->idle_share());
    if (run == 4) std::printf("%s", loader.stats().text().c_str());
  }
  if (trace.empty()) return;
  // The loop itself sleeps for each step, so the steps appear in the trace.
  Ref<data::test::SimulatedDevice> simulated(new data::test::SimulatedDevice(ahead + 1, microseconds(3000)));
  data::DataLoader loader(
      Slow{800, microseconds(9000)},
      {.batch_size = 4, .workers = 2, .device_prefetch = ahead, .transfer = simulated, .trace_events = 5000});
  for ([[maybe_unused]] auto& [x] : loader) std::this_thread::sleep_for(microseconds(5000));
  loader.write_trace(trace);
  std::ifstream file(trace);
  const Json events = Json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  std::printf(
      "%s: fetching overlapped %.1f %% of the steps' time, copying %.1f %%; the loop waited for %.2f %% of it\n",
      trace.c_str(), 100 * overlap(events, "compute", "fetch"), 100 * overlap(events, "compute", "copy"),
      100 * total(events, "wait") / total(events, "compute"));
}

/// From smaps_rollup, which is exact; statm may be off by 32 pages per processor.
double resident_megabytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::string word;
  double kilobytes = 0;
  while (file >> word && word != "Rss:") {}
  file >> kilobytes;
  return kilobytes * 1024e-6;
}

void flat(std::int64_t batches) {
  resident_megabytes();  // allocates what reading the figure needs
  for (const int workers : {0, 2}) {
    Tensor x = empty({1000, 64}, {.dtype = DType::uint8}), y = empty({1000}, {.dtype = DType::int64});
    std::memset(x.raw_data(), 1, 64'000);
    std::memset(y.raw_data(), 1, 8'000);
    data::DataLoader loader(data::TensorDataset(x, y), {.batch_size = 10, .shuffle = true, .workers = workers});
    const std::int64_t epochs = batches / 100;
    double before = 0;
    for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
      for ([[maybe_unused]] auto& batch : loader) {}
      if (epoch == epochs / 100) before = resident_megabytes();
    }
    const double after = resident_megabytes();
    std::printf("%d workers: %.3f MB resident after 1%% of %lld batches, %.3f MB at the end: %+.2f %%\n", workers,
                before, static_cast<long long>(100 * epochs), after, 100 * (after / before - 1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "memory") memory();
  else if (what == "make" && argc > 2) make(argv[2]);
  else if (what == "jpeg" && argc > 2) jpeg(argv[2]);
  else if (what == "batches") batches();
  else if (what == "device") device(argc > 2 ? argv[2] : "");
  else if (what == "flat") flat(argc > 2 ? std::atoll(argv[2]) : 1'000'000);
  else {
    std::fprintf(stderr,
                 "usage: loading memory | make FOLDER | jpeg FOLDER | batches | device [TRACE] | flat [BATCHES]\n");
    return 2;
  }
}
