#include "simulated/machine/cost.h"
#include "simulated/machine/gpu_kind.h"
#include "simulated/machine/time_model.h"
#include "tables.h"

#include <minima/tensor/base/format.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// How finely work is cut: ranges of a CPU's threads, and blocks of a GPU's.

using namespace minima;

namespace bench {

Table grains(const Settings& settings) {
  Table table{.rows_are = "elements", .columns = {}};
  const std::int64_t sizes[] = {256, 4096, 65536, 1 << 20};
  for (const std::int64_t grain : sizes) table.columns.push_back({str("ranges of ", grain, ", µs")});
  table.columns.push_back({"one range, µs"});
  const std::int64_t largest = settings.largest < 1024 ? 1 << 16 : 1 << 22;
  for (std::int64_t count = 1024; count <= largest; count *= 64) {
    std::vector<float> x(static_cast<std::size_t>(count), 1), y(x.size());
    const auto with_grain = [&](std::int64_t grain) {
      return micro * seconds_of(settings, [&] {
               parallel_for(0, count, grain, [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i) {
                   const auto at = static_cast<std::size_t>(i);
                   y[at] = 0.5F * x[at] * (1 + x[at] * x[at]);
                 }
               });
             });
    };
    std::vector<double> figures;
    for (const std::int64_t grain : sizes) figures.push_back(grain < count ? with_grain(grain) : missing);
    figures.push_back(with_grain(count));
    table.add(str(count), std::move(figures));
  }
  table.notes.push_back(str("A polynomial on ", num_threads(), " threads. Operators choose ranges of about 10 µs."));
  return table;
}

Table blocks(const Settings&) {
  const simulated::GpuKind& gpu = simulated::h200;
  Table table{.rows_are = "threads per block",
              .columns = {{"resident, % of a multiprocessor's threads", Better::higher},
                          {"multiprocessors with work, 10⁴ elements, %"},
                          {"10⁶ elements, %"},
                          {"10⁸ elements, µs", Better::lower}}};
  struct Kernel {
    const char* name;
    unsigned registers;
    std::size_t shared_per_thread;
  };
  for (const Kernel& kernel : {Kernel{"32 registers", 32, 0}, {"128 registers", 128, 0}, {"256 B shared", 32, 256}})
    for (const unsigned threads : {64U, 128U, 256U, 512U, 1024U}) {
      const auto cost_of = [&](double count) {
        return simulated::Cost{.kind = simulated::WorkKind::kernel,
                               .bytes_read = 8 * count,
                               .bytes_written = 4 * count,
                               .blocks = std::ceil(count / threads),
                               .threads = threads,
                               .shared_bytes = kernel.shared_per_thread * threads,
                               .registers = static_cast<int>(kernel.registers),
                               .in_flight = 8};
      };
      constexpr unsigned registers_of_a_block = 65536;
      if (cost_of(1).shared_bytes > gpu.shared_per_block || threads * kernel.registers > registers_of_a_block) continue;
      const auto busy = [&](double count) { return 100 * std::min(1.0, cost_of(count).blocks / gpu.multiprocessors); };
      const double resident = static_cast<double>(simulated::resident_blocks(gpu, cost_of(1))) * threads;
      table.add(str(threads, ", ", kernel.name), {100 * resident / gpu.threads_per_multiprocessor, busy(1e4), busy(1e6),
                                                  micro * simulated::seconds_of(gpu, cost_of(1e8))});
    }
  table.notes.push_back(
      "Predicted for an addition on an H200, an element per thread, with what a thread needs; nothing here ran on a "
      "GPU.");
  return table;
}

}  // namespace bench
