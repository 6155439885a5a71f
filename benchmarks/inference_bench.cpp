#include <minima/inference/batcher.h>
#include <minima/inference/parallel_map.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/tensor.h>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <numeric>
#include <vector>

// Measures the cost of batching per request with a model that does nothing, and that of parallel_map per call. CPU is
// the process's processor time, of client and worker together; so are the rates.

namespace minima {
namespace {

/// `range(0)` requests of one row of 784 floats are in flight; `range(1)` rows make a batch.
void batcher_requests(benchmark::State& state) {
  const auto in_flight = state.range(0);
  inference::Batcher batcher([](const Tensor& x) { return x; },
                             {.max_batch = state.range(1), .max_delay = 0, .max_queue = 4096});
  const Tensor x = zeros({1, 784});
  std::vector<inference::Reply> replies;
  for (auto _ : state) {
    replies.clear();
    for (std::int64_t i = 0; i < in_flight; ++i) replies.push_back(batcher.submit(x));
    for (const inference::Reply& reply : replies) benchmark::DoNotOptimize(reply.get());
  }
  const auto requests = static_cast<double>(state.iterations() * in_flight);
  state.counters["requests/s"] = benchmark::Counter(requests, benchmark::Counter::kIsRate);
  state.counters["per_request"] =
      benchmark::Counter(requests, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["rows/batch"] = batcher.stats().mean_batch();
}
BENCHMARK(batcher_requests)
    ->Args({1, 1})
    ->Args({256, 1})
    ->Args({256, 32})
    ->Args({1024, 256})
    ->ArgNames({"in_flight", "max_batch"})
    ->Unit(benchmark::kMicrosecond)
    ->MeasureProcessCPUTime();

void parallel_map_of_nothing(benchmark::State& state) {
  std::vector<int> elements(static_cast<std::size_t>(state.range(0)));
  std::iota(elements.begin(), elements.end(), 0);
  for (auto _ : state) benchmark::DoNotOptimize(inference::parallel_map(elements, [](int x) { return x; }));
}
BENCHMARK(parallel_map_of_nothing)->Arg(1)->Arg(2)->Arg(64)->Unit(benchmark::kMicrosecond)->MeasureProcessCPUTime();

}  // namespace
}  // namespace minima
