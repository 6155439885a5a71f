#include <minima/inference/batch_queue.h>

#include <minima/inference/clock.h>
#include <minima/inference/request.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace minima::inference {

BatchQueue::Kind BatchQueue::kind_of(const Request& request) {
  Kind kind;
  for (const Tensor& input : request.inputs()) {
    kind.push_back(static_cast<std::int64_t>(input.dtype()));
    kind.push_back(input.rank());
    for (int dim = 1; dim < input.rank(); ++dim) kind.push_back(input.size(dim));
  }
  return kind;
}

void BatchQueue::push(RequestPtr request, Clock::TimePoint now) {
  request->arrival = now;
  request->rank = now - request->priority() * rules_.aging;
  request->number = next_number_++;
  request->is_queued = true;
  Group& group = groups_[kind_of(*request)];
  group.oldest = std::min(group.oldest, now);
  group.rows += request->rows();
  rows_ += request->rows();
  ++requests_;
  const Rank rank = rank_of(*request);
  group.requests.emplace(rank, std::move(request));
}

void BatchQueue::settle(Groups::iterator group, std::int64_t dropped, std::int64_t dropped_rows) {
  requests_ -= dropped;
  rows_ -= dropped_rows;
  group->second.rows -= dropped_rows;
  if (group->second.requests.empty()) {
    groups_.erase(group);
    return;
  }
  group->second.oldest = Clock::TimePoint::max();
  for (const auto& [rank, request] : group->second.requests)
    group->second.oldest = std::min(group->second.oldest, request->arrival);
}

bool BatchQueue::remove(Request& request) {
  if (!request.is_queued) return false;
  request.is_queued = false;
  const auto group = groups_.find(kind_of(request));
  group->second.requests.erase(rank_of(request));
  settle(group, 1, request.rows());
  return true;
}

Clock::TimePoint BatchQueue::due(const Group& group) const {
  if (hurried_ || group.rows >= rules_.max_batch) return Clock::TimePoint::min();
  return group.oldest + rules_.max_delay;
}

Clock::TimePoint BatchQueue::due() const {
  Clock::TimePoint earliest = Clock::TimePoint::max();
  for (const auto& [kind, group] : groups_) earliest = std::min(earliest, due(group));
  return earliest;
}

std::vector<RequestPtr> BatchQueue::take(Clock::TimePoint now) {
  auto best = groups_.end();
  for (auto group = groups_.begin(); group != groups_.end(); ++group)
    if (due(group->second) <= now && (best == groups_.end() || group->second.first() < best->second.first()))
      best = group;
  std::vector<RequestPtr> batch;
  if (best == groups_.end()) return batch;
  auto& waiting = best->second.requests;
  std::int64_t rows = 0;
  // Stops at the first that does not fit: smaller ones behind it would make a large one wait for ever.
  while (!waiting.empty() && (rows == 0 || rows + waiting.begin()->second->rows() <= rules_.max_batch)) {
    rows += waiting.begin()->second->rows();
    batch.push_back(std::move(waiting.begin()->second));
    batch.back()->is_queued = false;
    waiting.erase(waiting.begin());
  }
  settle(best, static_cast<std::int64_t>(batch.size()), rows);
  return batch;
}

std::vector<RequestPtr> BatchQueue::take_all() {
  std::vector<RequestPtr> all;
  for (auto& [kind, group] : groups_)
    for (auto& [rank, request] : group.requests) {
      request->is_queued = false;
      all.push_back(std::move(request));
    }
  groups_.clear();
  requests_ = rows_ = 0;
  return all;
}

}  // namespace minima::inference
