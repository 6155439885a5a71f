#include <minima/inference/batcher_stats.h>

#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace minima::inference {

void RecentTimes::add(double seconds) {
  if (times_.size() < capacity_) times_.push_back(seconds);
  else times_[next_] = seconds;
  next_ = (next_ + 1) % capacity_;
}

Percentiles RecentTimes::percentiles() const {
  if (times_.empty()) return {};
  std::vector<double> sorted = times_;
  std::sort(sorted.begin(), sorted.end());
  // The nearest rank: of n times, number ⌈q·n⌉.
  const auto at = [&](double share) {
    const auto count = static_cast<double>(sorted.size());
    return sorted[static_cast<std::size_t>(std::ceil(share * count)) - 1];
  };
  return {at(0.5), at(0.9), at(0.99), sorted.back()};
}

namespace {

/// `1.25 ms`
std::string milliseconds(double seconds) { return str(std::round(seconds * 1e5) / 100, " ms"); }

std::string text_of(const Percentiles& times) {
  return str("median ", milliseconds(times.p50), ", 90 % ", milliseconds(times.p90), ", 99 % ", milliseconds(times.p99),
             ", longest ", milliseconds(times.max));
}

}  // namespace

std::string BatcherStats::text() const {
  return str("requests: ", requests, " accepted, ", succeeded, " succeeded, ", failed, " failed, ", cancelled,
             " cancelled, ", refused, " refused",
             callback_errors > 0 ? str("; ", callback_errors, " callbacks threw") : "", "\nqueue:    ", queued_requests,
             " requests of ", queued_rows, " rows, ", running, " batches running\nbatches:  ", batches, ", ",
             std::round(mean_batch() * 100) / 100, " rows on average\nwaiting:  ", text_of(waiting),
             "\nservice:  ", text_of(service), "\n");
}

}  // namespace minima::inference
