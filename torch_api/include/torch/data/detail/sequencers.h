#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace torch::data::detail::sequencers {

/// Decides which of the results that a function yields comes next.
template <typename Result>
struct Sequencer {
  using ResultProducer = std::function<std::optional<Result>()>;
  virtual ~Sequencer() = default;
  virtual std::optional<Result> next(ResultProducer next_result) = 0;
};

/// As they come.
template <typename Result>
struct NoSequencer final : public Sequencer<Result> {
  using typename Sequencer<Result>::ResultProducer;
  std::optional<Result> next(ResultProducer next_result) override { return next_result(); }
};

/// By their `sequence_number`. At most `max_jobs` results may be under way.
template <typename Result>
struct OrderedSequencer : public Sequencer<Result> {
  using typename Sequencer<Result>::ResultProducer;

  explicit OrderedSequencer(size_t max_jobs) : buffer_(max_jobs) {}

  std::optional<Result> next(ResultProducer next_result) override {
    while (!place(next_sequence_number_)) {
      std::optional<Result> result = next_result();
      if (!result) return std::nullopt;
      if (result->sequence_number == next_sequence_number_) {
        ++next_sequence_number_;
        return result;
      }
      place(result->sequence_number) = std::move(result);
    }
    return std::exchange(place(next_sequence_number_++), std::nullopt);
  }

  size_t next_sequence_number_ = 0;
  std::vector<std::optional<Result>> buffer_;

 private:
  std::optional<Result>& place(size_t number) { return buffer_.at(number % buffer_.size()); }
};

}  // namespace torch::data::detail::sequencers
