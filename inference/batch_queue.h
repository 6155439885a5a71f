#pragma once

#include <minima/inference/clock.h>
#include <minima/inference/request.h>

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace minima::inference {

/// When requests form a batch.
struct BatchRules {
  std::int64_t max_batch = 32;  ///< rows
  Clock::Duration max_delay{};  ///< the longest that a request waits for others to join its batch
  Clock::Duration aging{};      ///< the waiting time that is worth one level of priority
};

/// The requests that wait, and the rules by which they become batches. Not thread-safe, and without a clock: callers
/// pass the time. Each call costs a time that grows with the logarithm of what is queued.
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
  void hurry();

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
    std::set<Rank> arrivals;  ///< the same requests, by their arrival
    std::int64_t rows = 0;
    Clock::TimePoint due;  ///< as it is listed in due_
    bool is_listed = false, is_ready = false;
    Rank first{};  ///< as it is listed in ready_
  };
  using Groups = std::map<Kind, Group>;
  using Entry = Groups::value_type;

  static Kind kind_of(const Request& request);
  static Rank rank_of(const Request& request) { return {request.rank, request.number}; }
  static Rank arrival_of(const Request& request) { return {request.arrival, request.number}; }
  Clock::TimePoint due_of(const Group& group) const;
  /// Takes a request out of the group's tables.
  RequestPtr drop(Group& group, Rank rank);
  /// After a change of its requests: lists the group again, or erases it if it is empty.
  void settle(Entry& entry);
  void unlist(Entry& entry);

  const BatchRules rules_;
  Groups groups_;
  std::set<std::pair<Clock::TimePoint, Entry*>> due_;  ///< groups by the time at which they are due
  std::map<Rank, Entry*> ready_;                       ///< those that were seen to be due, by their first request
  std::int64_t requests_ = 0, rows_ = 0, next_number_ = 0;
  bool hurried_ = false;
};

}  // namespace minima::inference
