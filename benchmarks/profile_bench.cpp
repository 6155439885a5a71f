#include <minima/minima.h>
#include <minima/profiler/profile.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <vector>

// Measures what a profile costs: a small training step with and without one, in turns, in processor time.

namespace minima {
namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Hardly moved by other work on the machine, which only makes steps slower.
double lower_quartile(std::vector<double> values) {
  const std::size_t place = values.size() / 4;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place), values.end());
  return values[place];
}

nn::Sequential small_net() {
  return nn::Sequential(nn::Linear({.in = 64, .out = 128}), nn::ReLU(), nn::Linear({.in = 128, .out = 10}));
}
/// The network of `mlp_step/batch:64` in table_bench.cpp.
nn::Sequential table_net() {
  return nn::Sequential(nn::Linear({.in = 784, .out = 512}), nn::ReLU(), nn::Linear({.in = 512, .out = 512}),
                        nn::ReLU(), nn::Linear({.in = 512, .out = 10}));
}

/// Microseconds of a step without a profile, with one that has stopped, and while one records.
void profiled_mlp(benchmark::State& state, nn::Sequential (*make)(), std::int64_t batch, int steps) {
  const int threads = num_threads();
  set_num_threads(1);
  nn::Sequential net = make();
  optim::SGD optimizer(net.parameters(), {.lr = 0.01});
  const Tensor x = randn({batch, net.parameters()[0].size(1)}), y = randint(0, 10, {batch}, {.dtype = int64});
  const auto step = [&] {
    optimizer.zero_grad();
    cross_entropy(net(x), y).backward();
    optimizer.step();
  };
  const auto microseconds = [&](const auto& run) {
    const double start = processor_seconds();
    for (int i = 0; i < steps; ++i) run();
    return 1e6 * (processor_seconds() - start) / steps;
  };
  std::vector<double> without, stopped, recording;
  for (auto _ : state) {
    without.push_back(microseconds(step));
    {
      profiler::Profile profile;
      profile.watch(net).stop();
      stopped.push_back(microseconds(step));
    }
    profiler::Profile profile;
    profile.watch(net);
    recording.push_back(microseconds([&] {
      step();
      profile.step();
    }));
  }
  set_num_threads(threads);
  const double base = lower_quartile(without);
  state.counters["without_us"] = base;
  state.counters["stopped_percent"] = 100 * (lower_quartile(stopped) / base - 1);
  state.counters["recording_percent"] = 100 * (lower_quartile(recording) / base - 1);
}
BENCHMARK_CAPTURE(profiled_mlp, small, small_net, 32, 300)->MinTime(3)->MinWarmUpTime(0.5);
BENCHMARK_CAPTURE(profiled_mlp, table, table_net, 64, 10)->MinTime(3)->MinWarmUpTime(0.5);

}  // namespace
}  // namespace minima
