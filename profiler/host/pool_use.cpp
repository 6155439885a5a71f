#include <minima/profiler/host/pool_use.h>

#include <minima/io/text/columns.h>
#include <minima/io/text/json.h>
#include <minima/profiler/host/host_recording.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

PoolUse pool_use(const HostRecording& recording, double seconds, std::int64_t steps) {
  PoolUse use;
  auto threads = static_cast<std::size_t>(std::max(recording.threads, 1));
  for (const ThreadRange& range : recording.ranges)
    threads = std::max(threads, static_cast<std::size_t>(range.thread) + 1);
  use.busy.resize(threads);
  double busiest = 0, worked = 0;
  const std::vector<ThreadRange>& ranges = recording.ranges;
  std::vector<double> of_loop(threads);
  for (std::size_t i = 0; i < ranges.size();) {
    const std::size_t first = i;
    if (ranges[first].begin >= seconds) break;
    std::fill(of_loop.begin(), of_loop.end(), 0.0);
    double begin = ranges[first].begin, end = ranges[first].end;
    for (; i < ranges.size() && ranges[i].loop == ranges[first].loop; ++i) {
      of_loop[static_cast<std::size_t>(ranges[i].thread)] += ranges[i].end - ranges[i].begin;
      begin = std::min(begin, ranges[i].begin);
      end = std::max(end, ranges[i].end);
    }
    use.loops += 1;
    use.seconds += end - begin;
    busiest += *std::max_element(of_loop.begin(), of_loop.end());
    for (std::size_t thread = 0; thread < threads; ++thread) {
      worked += of_loop[thread];
      use.busy[thread] += of_loop[thread];
    }
  }
  const auto count = static_cast<double>(threads);
  if (use.seconds > 0) use.occupancy = worked / (count * use.seconds);
  if (worked > 0) use.imbalance = busiest * count / worked;
  for (double& share : use.busy) share = seconds > 0 ? share / seconds : 0;
  const auto divisor = static_cast<double>(std::max<std::int64_t>(steps, 1));
  use.loops /= divisor;
  use.seconds /= divisor;
  return use;
}

std::string PoolUse::text() const {
  if (loops == 0) return "threads: no loop was shared by several\n";
  std::string text =
      str("threads: ", fixed(loops, 0), " shared loops a step in ", fixed(1e3 * seconds, 3), " ms, in which the ",
          busy.size(), " threads work ", fixed(100 * occupancy, 0), "% of the time; the busiest ", fixed(imbalance, 2),
          " times the mean\n  share of the step in such loops:");
  constexpr std::size_t most = 16;
  for (std::size_t i = 0; i < std::min(busy.size(), most); ++i) text += str(" ", fixed(100 * busy[i], 0), "%");
  return text + (busy.size() > most ? str(" and ", busy.size() - most, " more\n") : "\n");
}

Json PoolUse::json() const {
  Json shares = Json::array(), result = Json::object();
  for (const double share : busy) shares.push_back(share);
  result.set("loops", loops);
  result.set("ms", 1e3 * seconds);
  result.set("occupancy", occupancy);
  result.set("imbalance", imbalance);
  result.set("busy", std::move(shares));
  return result;
}

}  // namespace minima::profiler
