#pragma once

#include <torch/data/detail/queue.h>

namespace torch::data::detail {

/// Carries jobs to workers and their results back. One thread pushes jobs and pops results.
template <typename Job, typename Result>
class DataShuttle {
 public:
  void push_job(Job job) {
    jobs_.push(std::move(job));
    ++in_flight_;
  }
  Job pop_job() { return jobs_.pop(); }
  void push_result(Result result) { results_.push(std::move(result)); }
  /// nullopt if there is no job whose result has not been popped.
  std::optional<Result> pop_result(std::optional<std::chrono::milliseconds> timeout = std::nullopt) {
    if (in_flight_ == 0) return std::nullopt;
    Result result = results_.pop(timeout);
    --in_flight_;
    return result;
  }
  /// Drops jobs that no worker has taken, and waits for the others.
  void drain() {
    in_flight_ -= jobs_.clear();
    while (in_flight_ > 0) pop_result();
  }
  size_t in_flight_jobs() const noexcept { return in_flight_; }

 private:
  Queue<Job> jobs_;
  Queue<Result> results_;
  size_t in_flight_ = 0;
};

}  // namespace torch::data::detail
