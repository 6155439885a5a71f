#include "tables.h"

#include <minima/tensor/storage/allocator.h>

using namespace minima;

namespace bench {

Table pool(const Settings& settings) {
  Table table{.rows_are = "tensor",
              .columns = {{"from the cache, ns", Better::lower},
                          {"from the system, ns"},
                          {"times as fast"},
                          {"cache hits, %"},
                          {"MiB reused"}}};
  const Device device = settings.device;
  for (const auto& [name, bytes] : {std::pair<const char*, std::int64_t>{"4 KiB", 4 << 10},
                                    {"256 KiB", 256 << 10},
                                    {"4 MiB", 4 << 20},
                                    {"64 MiB", 64 << 20}}) {
    const auto take = [&, count = bytes / 4] { static_cast<void>(empty({count}, on(settings))); };
    const auto use = [&, count = bytes / 4] { fill_(empty({count}, on(settings)), 0); };  // touches its pages
    const auto fill_only = [&, x = empty({bytes / 4}, on(settings))] { fill_(x, 0); };
    const double filling = seconds_of(settings, fill_only);
    const MemoryStats before = memory_stats(device);
    const double cached = seconds_of(settings, take);
    const MemoryStats after = memory_stats(device);
    const double fresh = seconds_of(settings, [&] {
      use();
      empty_cache(device);
    });
    const auto requests = static_cast<double>(after.allocations - before.allocations);
    const double hits = requests - static_cast<double>(after.system_allocations - before.system_allocations);
    const double with = cached * 1e9, without = fresh > filling ? (fresh - filling) * 1e9 : missing;
    table.add(name, {with, without, without / with, 100 * hits / requests, hits * static_cast<double>(bytes) * mebi});
  }
  table.notes.push_back(
      "From the system the memory is filled, for its page faults, and the time of filling is subtracted.");
  return table;
}

Table no_grad(const Settings& settings) {
  Table table{.rows_are = "forward pass", .columns = {{"ms", Better::lower}, {"peak, MiB", Better::lower}}};
  nn::Sequential net;
  for (int i = 0; i < 8; ++i) net.push_back(nn::Linear({.in = 512, .out = 512})), net.push_back(nn::ReLU());
  net.to(settings.device);
  const Tensor x = randn({256, 512}, on(settings));
  const auto row = [&](const char* name, const auto& forward) {
    const double seconds = seconds_of(settings, forward);
    empty_cache(settings.device);
    const std::int64_t before = memory_stats(settings.device).allocated;
    reset_peak(settings.device);
    forward();
    const std::int64_t peak = memory_stats(settings.device).peak_allocated - before;
    table.add(name, {seconds * milli, static_cast<double>(peak) * mebi});
  };
  row("recording", [&] { net(x); });
  row("NoGrad", [&] {
    const NoGrad guard;
    net(x);
  });
  return table;
}

}  // namespace bench
