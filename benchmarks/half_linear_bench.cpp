// Compares linear layers of half types with few rows to float32, whose weights have twice the bytes: for processor time
// on one thread, MINIMA_THREADS=1 … --benchmark_filter=half_linear --benchmark_repetitions=20
// --benchmark_enable_random_interleaving=true.

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/product/linear.h>
#include <minima/tensor/base/format.h>

#include <benchmark/benchmark.h>

#include <cstdint>

namespace minima {
namespace {

void half_linear(benchmark::State& state, DType dtype, std::int64_t out, std::int64_t in, std::int64_t rows) {
  const NoGrad off;
  const Tensor weight = randn({out, in}).to(dtype), x = randn({rows, in}).to(dtype);
  for (auto _ : state) benchmark::DoNotOptimize(linear(x, weight));
}

const bool registered = [] {
  constexpr std::int64_t sizes[][2] = {{3072, 768}, {50257, 768}, {4096, 4096}};
  for (const auto& [out, in] : sizes)
    for (const std::int64_t rows : {1, 4, 16, 64})
      for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16})
        benchmark::RegisterBenchmark(str("half_linear/", in, "_to_", out, "/rows_", rows, "/", dtype).c_str(),
                                     [=](benchmark::State& state) { half_linear(state, dtype, out, in, rows); })
            ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace minima
