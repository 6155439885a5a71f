#include <minima/data/loader/loader_stats.h>

#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace minima::data {

namespace {

double per_batch(const StageStats& stage) {
  return stage.batches ? stage.busy / static_cast<double>(stage.batches) : 0;
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 0.01 ? "%.3f ms" : "%.1f ms", 1e3 * seconds);
  return text;
}

std::string percent(double share) { return str(static_cast<int>(std::lround(100 * share)), " %"); }

/// The fraction of the loop's time spent waiting for the loader.
double waiting_share(const LoaderStats& stats) {
  return stats.seconds > 0 ? std::min(1.0, stats.compute.waiting_for_input / stats.seconds) : 0;
}

}  // namespace

const char* name(Bottleneck bottleneck) {
  switch (bottleneck) {
    case Bottleneck::fetch: return "fetch";
    case Bottleneck::copy: return "copy";
    case Bottleneck::compute: return "compute";
    case Bottleneck::unknown: break;
  }
  return "unknown";
}

void detail::judge(LoaderStats& stats, bool has_device, int cores) {
  constexpr double noticeable = 0.05;
  stats.proposed_workers = stats.workers;
  stats.proposed_prefetch = stats.prefetch;
  if (stats.compute.batches < 2) return;

  if (has_device && stats.copy.batches > 1) {
    // The copying thread sees all three cases: it waits for batches, for room on the device, or not at all.
    const StageStats& copy = stats.copy;
    const double waited = std::max(copy.waiting_for_input, copy.waiting_for_room);
    const bool busy = waited < noticeable * (copy.busy + copy.waiting_for_input + copy.waiting_for_room);
    stats.bottleneck = busy                              ? Bottleneck::copy
                       : waited == copy.waiting_for_room ? Bottleneck::compute
                                                         : Bottleneck::fetch;
  } else {
    // Workers that wait for room are fast enough, even if the loop waited for its first batches.
    const double room = stats.workers > 0 ? stats.fetch.waiting_for_room / stats.workers : 0;
    const bool fetch = waiting_share(stats) > noticeable && stats.compute.waiting_for_input > room;
    stats.bottleneck = fetch ? Bottleneck::fetch : Bottleneck::compute;
  }

  // `interval`: the time per batch if fetching were free. The device's pace is known only while it is the bottleneck;
  // while fetching is, the times of the loop's body and of the copies are lower bounds.
  double interval = std::max(per_batch(stats.compute), per_batch(stats.copy));
  if (has_device && stats.bottleneck != Bottleneck::fetch)
    interval = std::max(interval, stats.seconds / static_cast<double>(stats.compute.batches));
  if (interval <= 0) return;
  const double needed = std::ceil(per_batch(stats.fetch) / interval * 1.1);
  if (stats.bottleneck == Bottleneck::fetch) {
    const int wanted = static_cast<int>(std::min(needed, static_cast<double>(std::max(cores, 1))));
    stats.proposed_workers = std::max({1, stats.workers, wanted});
  } else if (stats.workers > 0) {
    stats.proposed_workers = std::clamp(static_cast<int>(std::min(needed, 1e6)), 1, stats.workers);
  }
  const double ahead = std::ceil(stats.fetch.longest / interval / std::max(1, stats.proposed_workers)) + 1;
  constexpr double max_prefetch = 16;
  stats.proposed_prefetch = std::max(2, static_cast<int>(std::min(ahead, max_prefetch)));
}

std::string LoaderStats::text() const {
  std::string out = str("the loop waited for batches ", percent(waiting_share(*this)), " of ", milliseconds(seconds),
                        "; bottleneck: ", name(bottleneck), "\n");
  out += str("  fetch    ", milliseconds(per_batch(fetch)), " a batch on ",
             workers == 0 ? std::string("the loop's thread") : str("each of ", workers, " workers"), ", ",
             milliseconds(fetch.waiting_for_room), " waiting for room, ", fetch.batches, " batches, longest ",
             milliseconds(fetch.longest), "\n");
  if (copy.batches > 0)
    out += str("  copy     ", milliseconds(per_batch(copy)), " a batch, ", milliseconds(copy.waiting_for_input),
               " waiting for batches, ", milliseconds(copy.waiting_for_room), " for the device\n");
  out += str("  compute  ", milliseconds(per_batch(compute)), " a batch, ", milliseconds(compute.waiting_for_input),
             " waiting for batches\n");
  if (skipped || retried) out += str("  ", skipped, " samples skipped, ", retried, " fetches repeated\n");
  out += str("  workers = ", workers, ", prefetch = ", prefetch);
  if (proposed_workers != workers || proposed_prefetch != prefetch)
    out += str("; better: workers = ", proposed_workers, ", prefetch = ", proposed_prefetch);
  const double rate = per_batch(fetch) > 0 ? per_batch(compute) / per_batch(fetch) * std::max(1, proposed_workers) : 1;
  if (bottleneck == Bottleneck::fetch && rate < 0.9)
    out += "; this machine has no more cores: make fetching cheaper (cache, smaller files)";
  return out + "\n";
}

}  // namespace minima::data
