#include "tables.h"

#include <minima/distributed/in_process.h>
#include <minima/profiler/roofs/roof.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

using namespace minima;

namespace bench {

namespace {

/// A product of n × n matrices, per second.
double product_rate(const Settings& settings, DType dtype, std::int64_t n) {
  const Tensor a = randn({n, n}, on(settings)).to(dtype), b = randn({n, n}, on(settings)).to(dtype);
  const auto size = static_cast<double>(n);
  return 2 * size * size * size / seconds_of(settings, [&] { matmul(a, b); });
}

double convolution_rate(const Settings& settings) {
  const Tensor x = randn({32, 64, 28, 28}, on(settings)), w = randn({64, 64, 3, 3}, on(settings));
  const double flops = 2.0 * 32 * 28 * 28 * 64 * 64 * 9;
  return flops / seconds_of(settings, [&] { conv2d(x, w, {}, {.padding = 1}); });
}

/// Bytes per second that two ranks in this process sum, counted once.
double all_reduce_rate(const Settings& settings) {
  constexpr std::int64_t elements = 1 << 22;
  constexpr int ranks = 2;
  const int rounds = settings.seconds < 0.05 ? 2 : 10;
  auto groups = distributed::in_process_groups(ranks);
  double slowest = 0;
  std::vector<double> seconds(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      const Tensor x = ones({elements});
      auto& group = groups[static_cast<std::size_t>(rank)];
      group.all_reduce(x).wait();
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < rounds; ++i) group.all_reduce(x).wait();
      seconds[static_cast<std::size_t>(rank)] =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / rounds;
    });
  for (std::thread& thread : threads) thread.join();
  for (const double value : seconds) slowest = std::max(slowest, value);
  return 4.0 * elements / slowest;
}

}  // namespace

Table roofs(const Settings& settings) {
  Table table{.rows_are = "work",
              .columns = {{"GB/s", Better::higher}, {"GFLOP/s", Better::higher}, {"µs", Better::lower}}};
  if (settings.device.is_cpu()) {
    const profiler::Roof roof = profiler::measure_roof();
    table.add("memory: the best copy of 16 MiB", {roof.bytes_per_second * giga, missing, missing});
    table.add("arithmetic, float32", {missing, roof.flops_per_second * giga, missing});
    table.add("an operator that does nothing", {missing, missing, roof.call_seconds * micro});
  }
  const std::int64_t side = std::max<std::int64_t>(settings.largest, 2048);  // what is smaller may stay in a cache
  const std::int64_t bytes = 4 * side * side;
  const Tensor from = randn({side, side}, on(settings)), to = empty_like(from);
  table.add(
      str("copy_ of ", bytes >> 20, " MiB"),
      {2.0 * static_cast<double>(bytes) / seconds_of(settings, [&] { copy_(to, from); }) * giga, missing, missing});
  const std::int64_t n = std::min<std::int64_t>(settings.largest, 2048);
  for (const DType dtype : {float32, float64, bfloat16, float16})
    table.add(str("product of ", n, ", ", name(dtype)), {missing, product_rate(settings, dtype, n) * giga, missing});
  table.add("convolution 3×3, 64 channels", {missing, convolution_rate(settings) * giga, missing});
  const Tensor one = ones({1}, on(settings));
  table.add("sum of two numbers", {missing, missing, seconds_of(settings, [&] { one + one; }) * micro});
  if (settings.device.is_cpu())
    table.add("all_reduce of 16 MiB, 2 threads", {all_reduce_rate(settings) * giga, missing, missing});
  return table;
}

}  // namespace bench
