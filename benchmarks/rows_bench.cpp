#include <minima/ops/softmax/softmax.h>
#include <minima/tensor/tensor.h>

#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

// Operators that go through rows of 16M float32: bytes per second that must at least cross memory, beside a plain copy.

namespace minima {
namespace {

constexpr std::int64_t elements = 1 << 24;

Tensor ramp(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(numel(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 1000) / 250 - 2;
  return from_vector(values, shape);
}

void report(benchmark::State& state, double bytes) {
  state.counters["GB/s"] = benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void copy_16m(benchmark::State& state) {
  const Tensor x = ramp({elements}), y = ramp({elements});
  for (auto _ : state) std::memcpy(y.raw_data(), x.raw_data(), elements * sizeof(float));
  report(state, 8.0 * elements);
}
BENCHMARK(copy_16m)->Unit(benchmark::kMillisecond)->UseRealTime();

void softmax_16m(benchmark::State& state) {
  const std::int64_t columns = state.range(0);
  const Tensor x = ramp({elements / columns, columns});
  for (auto _ : state) benchmark::DoNotOptimize(softmax(x, state.range(1)));
  report(state, 8.0 * elements);
}
BENCHMARK(softmax_16m)->Args({10, 1})->Args({1024, 1})->Args({65536, 1})->Args({1024, 0})->ArgNames({"columns", "dim"})
    ->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace minima
