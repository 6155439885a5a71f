#pragma once

#include <minima/io/states/board.h>
#include <minima/tensor/device/wait_observer.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::train::detail {

/// Finds ranks that are slower than the others. Ranks that wait for each other all take as long as the slowest, so each
/// measures the time between two steps without what its thread spent waiting for collective operations. Over NCCL the
/// thread doesn't wait there, so all ranks look alike.
class MINIMA_API Pace final : WaitObserver {
 public:
  /// `factor`: how many times the others' median is slow.
  Pace(Ref<minima::detail::Board> board, double factor);
  Pace(const Pace&) = delete;
  Pace& operator=(const Pace&) = delete;
  ~Pace();

  /// Tells that a step has ended. On rank 0, every 50 steps: a line for each slow rank, `rank 3 takes 0.250 s a step
  /// without waiting, the others 0.100 s`.
  std::vector<std::string> step();
  /// The work between two steps was no step, but an evaluation or a save.
  void skip() { began_ = 0; }

 private:
  void begin_wait(Wait wait, double bytes) noexcept override;
  void end_wait() noexcept override;
  std::vector<std::string> compare();

  Ref<minima::detail::Board> board_;
  double factor_;
  WaitObserver* former_;
  std::vector<Wait> waits_;  ///< those that this thread is in
  std::int64_t wait_began_ = 0, waited_ = 0, began_ = 0;
  std::vector<double> seconds_;  ///< of the last steps
};

/// The ranks whose median is more than `factor` times the median of the others', of [rank] seconds; those below 1 ms
/// are never named, nor any among fewer than two.
MINIMA_API std::vector<int> slow_ranks(const std::vector<double>& medians, double factor);

}  // namespace minima::train::detail
