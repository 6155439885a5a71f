#pragma once

#include <minima/inference/clock.h>
#include <minima/inference/request.h>

#include <cstdint>
#include <map>
#include <vector>

namespace minima::inference {

/// When requests form a batch.
struct BatchRules {
  std::int64_t max_batch = 32;  ///< rows
  Clock::Duration max_delay{};  ///< the longest that a request waits for others to join its batch
  Clock::Duration aging{};      ///< the waiting time that is worth one level of priority
};

/// The requests that wait, and the rules by which they become batches. Not thread-safe, and without a clock: callers
/// pass the time.
///
/// Requests that can be concatenated, of equal dtypes and shapes but for dimension 0, form a group. A group is due when
/// it fills a batch or its oldest request has waited for `max_delay`. Requests are ranked by
///
///     rank = arrival − priority × aging,
///
/// lowest first, both between due groups and within one. Ranks don't change while requests wait, and nothing passes
/// a request that arrives more than (difference in priority) × aging after it, so none starves.
class MINIMA_API BatchQueue {
 public:
  explicit BatchQueue(const BatchRules& rules) : rules_(rules) {}

  void push(RequestPtr request, Clock::TimePoint now);
  /// Takes a request out again; false if it is not queued.
  bool remove(Request& request);

  /// The requests of the next batch, in rank order; empty if none is due. They have at most `max_batch` rows, unless
  /// the first alone has more.
  std::vector<RequestPtr> take(Clock::TimePoint now);
  /// Empties the queue.
  std::vector<RequestPtr> take_all();
  /// When a batch is due: a time in the past if one is, TimePoint::max() if the queue is empty.
  Clock::TimePoint due() const;
  /// Requests wait for no others from now on.
  void hurry() { hurried_ = true; }

  bool empty() const { return requests_ == 0; }
  std::int64_t requests() const { return requests_; }
  std::int64_t rows() const { return rows_; }

 private:
  /// Dtypes and shapes of the inputs without dimension 0, as numbers.
  using Kind = std::vector<std::int64_t>;
  struct Rank {
    Clock::TimePoint time;
    std::int64_t number;  ///< of requests with equal ranks, the first to arrive goes first
    auto operator<=>(const Rank&) const = default;
  };
  struct Group {
    std::map<Rank, RequestPtr> requests;
    std::int64_t rows = 0;
    Clock::TimePoint oldest = Clock::TimePoint::max();  ///< earliest arrival

    Rank first() const { return requests.begin()->first; }
  };
  using Groups = std::map<Kind, Group>;

  static Kind kind_of(const Request& request);
  static Rank rank_of(const Request& request) { return {request.rank, request.number}; }
  Clock::TimePoint due(const Group& group) const;
  /// After requests were dropped from the group: counts them, and updates or erases it.
  void settle(Groups::iterator group, std::int64_t dropped, std::int64_t dropped_rows);

  const BatchRules rules_;
  Groups groups_;
  std::int64_t requests_ = 0, rows_ = 0, next_number_ = 0;
  bool hurried_ = false;
};

}  // namespace minima::inference
