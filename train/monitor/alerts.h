#pragma once

#include <minima/train/monitor/machine_sample.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::train {

/// When Alerts speak.
struct AlertLimits {
  std::int64_t min_disk = std::int64_t{1} << 30;       ///< bytes that should stay free
  std::int64_t max_swapping = std::int64_t{64} << 20;  ///< bytes that swap may grow by
  double slow_step = 3;                                ///< times the median of the last steps, at least 1
  double slow_step_seconds = 0.1;                      ///< that such a step takes longer than it: a shared machine's
                                                       ///< short steps are three times as long now and then
  double outlier_loss = 6;                             ///< standard deviations from the mean of the last losses
  std::size_t history = 100;                           ///< that count as the last ones, at least 2; half are needed
};

/// Notices what a person who watches a run should know, each kind once.
class MINIMA_API Alerts {
 public:
  /// Throws ValueError for limits out of range.
  explicit Alerts(const AlertLimits& limits = {});
  /// They return what is new, a line each.
  std::vector<std::string> look(const MachineSample& sample);
  std::vector<std::string> step(std::int64_t number, double seconds);
  std::vector<std::string> loss(std::int64_t number, double loss);

 private:
  enum Kind : std::uint8_t { throttling, memory_errors, swapping, full_disk, slow_step, odd_loss, kinds };
  void raise(std::vector<std::string>& found, Kind kind, std::string text);

  AlertLimits limits_;
  bool raised_[kinds] = {};
  std::int64_t first_swapped_ = -1;
  /// The last numbers, in any order.
  struct Ring {
    std::vector<double> values;
    std::size_t added = 0;
    void add(double value, std::size_t most);
  };
  Ring seconds_, losses_;
  double usual_ = 0;  ///< seconds of a step, now and then computed again
};

}  // namespace minima::train
