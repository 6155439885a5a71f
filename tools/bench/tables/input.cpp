#include "tables.h"

#include <minima/data/loader/loader.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/pinned.h>

#include <chrono>
#include <cmath>
#include <utility>

using namespace minima;

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Images whose decoding takes arithmetic.
struct Decoded {
  std::int64_t count;
  std::int64_t size() const { return count; }
  std::pair<Tensor, Tensor> get(std::int64_t index) const {
    Tensor image = empty({1, 28, 28});
    float* const pixels = image.data<float>();
    for (int i = 0; i < 784; ++i) {
      float value = static_cast<float>((index + i) % 97) / 97;
      for (int k = 0; k < 20; ++k) value = std::sin(value + 1);
      pixels[i] = value;
    }
    return {image, full({}, index % 10, {.dtype = int64})};
  }
};

}  // namespace

Table prefetch(const Settings& settings) {
  Table table{.rows_are = "workers",
              .columns = {{"images/s", Better::higher}, {"waiting for images, %", Better::lower}}};
  nn::Sequential net(nn::Flatten(), nn::Linear({.in = 784, .out = 512}), nn::ReLU(),
                     nn::Linear({.in = 512, .out = 10}));
  net.to(settings.device);
  optim::SGD optimizer(net.parameters(), {.lr = 0.01});
  const std::int64_t count = settings.seconds < 0.05 ? 256 : 4096;
  for (const int workers : {0, 1, 2}) {
    data::DataLoader loader(Decoded{count}, {.batch_size = 64, .workers = workers, .device = settings.device});
    double waiting = 0, whole = 0;
    for (int epoch = 0; epoch < 2; ++epoch) {  // the second one counts
      waiting = 0;
      const Clock::time_point start = Clock::now();
      Clock::time_point asked = start;
      for (auto& [x, y] : loader) {
        waiting += seconds_since(asked);
        optimizer.zero_grad();
        cross_entropy(net(x), y).backward();
        optimizer.step();
        asked = Clock::now();
      }
      if (settings.device.is_cuda()) synchronize(settings.device);
      whole = seconds_since(start);
    }
    table.add(workers == 0 ? "none, in the loop" : str(workers),
              {static_cast<double>(count) / whole, 100 * waiting / whole});
  }
  return table;
}

Table telemetry(const Settings& settings) {
  Table table{.rows_are = "stage",
              .columns = {{"batches"},
                          {"batches/s", Better::higher},
                          {"busy, %"},
                          {"waiting for input, %"},
                          {"waiting for room, %"},
                          {"longest, ms"},
                          {"ready, mean"}}};
  nn::Sequential net(nn::Flatten(), nn::Linear({.in = 784, .out = 512}), nn::ReLU(),
                     nn::Linear({.in = 512, .out = 10}));
  net.to(settings.device);
  data::DataLoader loader(Decoded{settings.seconds < 0.05 ? 256 : 4096},
                          {.batch_size = 64, .workers = 1, .device = settings.device});
  for (auto& [x, y] : loader) cross_entropy(net(x), y).backward();
  const data::LoaderStats stats = loader.stats();
  const auto row = [&](const char* name, const data::StageStats& stage) {
    const double scale = 100 / stats.seconds;
    table.add(name, {static_cast<double>(stage.batches), stage.batches_per_second, scale * stage.busy,
                     scale * stage.waiting_for_input, scale * stage.waiting_for_room, milli * stage.longest,
                     stage.mean_ready});
  };
  row("fetching, one worker", stats.fetch);
  if (settings.device.is_cuda()) row("copying to the GPU", stats.copy);
  row("the loop's body", stats.compute);
  table.notes.push_back(str("The bottleneck is ", name(stats.bottleneck), "; ", stats.proposed_workers,
                            " workers and a prefetch of ", stats.proposed_prefetch, " are proposed."));
  return table;
}

Table transfers(const Settings& settings) {
  Table table{.rows_are = "64 MiB", .columns = {{"pageable, GB/s", Better::higher}, {"pinned, GB/s", Better::higher}}};
  const Layout layout = Layout::contiguous({16 << 20});
  const Tensor pageable = zeros(layout.shape), pinned = empty_pinned(layout, float32);
  fill_(pinned, 0);
  const Tensor there = zeros(layout.shape, on(settings));
  const double bytes = 4.0 * (16 << 20);
  const auto rate = [&](const Tensor& to, const Tensor& from) {
    return bytes / seconds_of(settings, [&] { copy_(to, from); }) * giga;
  };
  table.add("to the GPU", {rate(there, pageable), rate(there, pinned)});
  table.add("from the GPU", {rate(pageable, there), rate(pinned, there)});
  return table;
}

}  // namespace bench
