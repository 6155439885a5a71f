#include "tables.h"

#include <minima/profiler/roofs/roof.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace minima;

namespace bench {

namespace {

double flops_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

double product_seconds(const Settings& settings, DType dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  const Tensor a = randn({m, k}, on(settings)).to(dtype), b = randn({k, n}, on(settings)).to(dtype);
  return seconds_of(settings, [&] { matmul(a, b); });
}

}  // namespace

Table precision(const Settings& settings) {
  Table table{.rows_are = "n × n",
              .columns = {{"float32, ms", Better::lower},
                          {"float32, GFLOP/s", Better::higher},
                          {"bfloat16, ms", Better::lower},
                          {"bfloat16, GFLOP/s", Better::higher},
                          {"times as fast"}}};
  for (std::int64_t size = std::min<std::int64_t>(settings.largest, 512); size <= settings.largest; size *= 2) {
    const double full = product_seconds(settings, float32, size, size, size);
    const double low = product_seconds(settings, bfloat16, size, size, size);
    const double flops = flops_of(size, size, size);
    table.add(str(size), {full * milli, flops / full * giga, low * milli, flops / low * giga, full / low});
  }
  return table;
}

Table shapes(const Settings& settings) {
  Table table{.rows_are = "n × n", .columns = {{"ms", Better::lower}, {"GFLOP/s", Better::higher}, {"% of the best"}}};
  std::vector<double> rates;
  const std::int64_t smallest = std::min<std::int64_t>(settings.largest, 768);
  for (const std::int64_t n : {smallest, std::int64_t{1024}, std::int64_t{2048}})
    for (const std::int64_t size : {n, n + 1, n - 8}) {
      if (n > settings.largest) continue;
      const double seconds = product_seconds(settings, settings.device.is_cpu() ? float32 : bfloat16, size, size, size);
      rates.push_back(flops_of(size, size, size) / seconds);
      table.add(str(size), {seconds * milli, rates.back() * giga, missing});
    }
  const double best = rates.empty() ? 0 : *std::max_element(rates.begin(), rates.end());
  for (std::size_t i = 0; i < rates.size(); ++i) table.rows[i].figures[2] = 100 * rates[i] / best;
  return table;
}

Table roofline(const Settings& settings) {
  Table table{
      .rows_are = "product",
      .columns = {{"FLOP/byte"}, {"at best, µs"}, {"time, µs", Better::lower}, {"% of the roof", Better::higher}}};
  const bool on_cpu = settings.device.is_cpu();
  profiler::Roof roof;
  if (on_cpu) {
    roof = profiler::measure_roof();
  } else {  // the best of a copy, a product and a launch
    const std::int64_t n = settings.largest;
    const Tensor x = randn({n, n}, on(settings)), y = empty_like(x), one = ones({1}, on(settings));
    roof.bytes_per_second = 8.0 * static_cast<double>(n * n) / seconds_of(settings, [&] { copy_(y, x); });
    roof.flops_per_second = flops_of(n, n, n) / product_seconds(settings, float32, n, n, n);
    roof.call_seconds = seconds_of(settings, [&] { one + one; });
  }
  struct Size {
    const char* name;
    std::int64_t m, n, k;
  };
  const Size sizes[] = {{"a vector, 4096 × 4096 · 1", 4096, 1, 4096},
                        {"small, 64", 64, 64, 64},
                        {"thin, 2048 × 16 · 2048", 2048, 2048, 16},
                        {"medium, 256", 256, 256, 256},
                        {"large, 1024", 1024, 1024, 1024},
                        {"huge, 4096", 4096, 4096, 4096}};
  for (const Size& size : sizes) {
    if (std::max({size.m, size.n, size.k}) > std::max<std::int64_t>(settings.largest, 256)) continue;
    const double flops = flops_of(size.m, size.n, size.k);
    const double bytes = 4.0 * static_cast<double>(size.m * size.k + size.k * size.n + size.m * size.n);
    const double compute = flops / roof.flops_per_second, memory = bytes / roof.bytes_per_second;
    const double best = std::max({compute, memory, roof.call_seconds});
    const char* bound = best == roof.call_seconds ? "the call" : best == memory ? "memory" : "arithmetic";
    const double seconds = product_seconds(settings, float32, size.m, size.n, size.k);
    table.add(str(size.name, ": ", bound), {flops / bytes, best * micro, seconds * micro, 100 * best / seconds});
  }
  table.notes.push_back("Each row says what bounds it. Small operands stay in caches, which are faster than memory.");
  return table;
}

Table crossover(const Settings& settings) {
  Table table{.rows_are = "n × n",
              .columns = {{"CPU, µs", Better::lower},
                          {"GPU with copies, µs", Better::lower},
                          {"copies, µs"},
                          {"launch, µs"},
                          {"arithmetic, µs"},
                          {"GPU, times as fast"}}};
  Settings cpu = settings;
  cpu.device = Device::cpu();
  const Tensor one = ones({1}, on(settings));
  const double launch = seconds_of(settings, [&] { one + one; });
  std::int64_t first = 0;
  for (std::int64_t n = 32; n <= settings.largest; n *= 2) {
    const double there = product_seconds(cpu, float32, n, n, n);
    const Tensor a = randn({n, n}), b = randn({n, n}), x = a.to(settings.device), y = b.to(settings.device);
    const double arithmetic = seconds_of(settings, [&] { matmul(x, y); });
    const double whole =
        seconds_of(settings, [&] { matmul(a.to(settings.device), b.to(settings.device)).to(Device::cpu()); });
    table.add(str(n), {there * micro, whole * micro, std::max(whole - arithmetic, 0.0) * micro, launch * micro,
                       arithmetic * micro, there / whole});
    if (first == 0 && whole < there) first = n;
  }
  table.notes.push_back(first == 0 ? "The CPU was faster at all of these sizes."
                                   : str("The GPU is faster from ", first, " on, with copies there and back."));
  return table;
}

}  // namespace bench
