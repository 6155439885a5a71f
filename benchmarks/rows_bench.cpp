#include <minima/autograd/backward.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/norm/batch_norm.h>
#include <minima/ops/reduce/softmax.h>
#include <minima/tensor/tensor.h>

#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

// Row operators on 16M float32 values, compared with a plain copy. GB/s counts the minimum memory traffic.

namespace minima {
namespace {

constexpr std::int64_t elements = 1 << 24;

Tensor ramp(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(numel(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 1000) / 250 - 2;
  return from_vector(values, shape);
}

/// Times step() after one warmup call that fills the allocator's cache.
template <class F> void run(benchmark::State& state, double bytes, const F& step) {
  step();
  for (auto _ : state) step();
  state.counters["GB/s"] = benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void copy_16m(benchmark::State& state) {
  const Tensor x = ramp({elements}), y = ramp({elements});
  run(state, 8.0 * elements, [&] { std::memcpy(y.raw_data(), x.raw_data(), elements * sizeof(float)); });
}
BENCHMARK(copy_16m)->Unit(benchmark::kMillisecond)->UseRealTime();

void softmax_16m(benchmark::State& state) {
  const std::int64_t columns = state.range(0);
  const Tensor x = ramp({elements / columns, columns});
  run(state, 8.0 * elements, [&] { benchmark::DoNotOptimize(softmax(x, state.range(1))); });
}
BENCHMARK(softmax_16m)
    ->Args({10, 1})
    ->Args({1024, 1})
    ->Args({65536, 1})
    ->Args({1024, 0})
    ->ArgNames({"columns", "dim"})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// Forward and backward: reads x twice, writes y; reads g and x twice, writes dx.
void batch_norm_16m(benchmark::State& state) {
  const Tensor base = ramp({64, state.range(0), 1 << 9, (1 << 9) / state.range(0)});
  const Tensor x = (state.range(1) ? channels_last(base) : Tensor(base)).requires_grad(true);
  const Tensor w = ramp({state.range(0)}).requires_grad(true), b = ramp({state.range(0)}).requires_grad(true);
  run(state, (state.range(2) ? 32.0 : 12.0) * elements, [&] {
    const Tensor y = batch_norm(x, w, b, {}, {}, {.training = true});
    if (state.range(2)) benchmark::DoNotOptimize(grad({y}, {x, w, b}, {y.detach()}));
  });
}
BENCHMARK(batch_norm_16m)
    ->ArgsProduct({{64}, {0, 1}, {0, 1}})
    ->ArgNames({"channels", "channels_last", "backward"})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void cross_entropy_16m(benchmark::State& state) {
  const std::int64_t classes = state.range(0), lines = elements / classes;
  const Tensor x = ramp({lines, classes}).requires_grad(true);
  std::vector<std::int64_t> labels(static_cast<std::size_t>(lines));
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i * 31) % classes;
  const Tensor target = from_vector(labels, {lines});
  run(state, (state.range(1) ? 12.0 : 4.0) * elements, [&] {
    const Tensor loss = cross_entropy(x, target);
    if (state.range(1)) benchmark::DoNotOptimize(grad({loss}, {x}));
  });
}
BENCHMARK(cross_entropy_16m)
    ->ArgsProduct({{10, 1024}, {0, 1}})
    ->ArgNames({"classes", "backward"})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace minima
