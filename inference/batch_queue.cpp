#include <minima/inference/batch_queue.h>

#include <minima/inference/clock.h>
#include <minima/inference/request.h>
#include <minima/tensor/tensor.h>

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
  Entry& entry = *groups_.try_emplace(kind_of(*request)).first;
  Group& group = entry.second;
  group.rows += request->rows();
  rows_ += request->rows();
  ++requests_;
  group.arrivals.insert(arrival_of(*request));
  const Rank rank = rank_of(*request);
  group.requests.emplace(rank, std::move(request));
  settle(entry);
}

RequestPtr BatchQueue::drop(Group& group, Rank rank) {
  const auto at = group.requests.find(rank);
  RequestPtr request = std::move(at->second);
  group.requests.erase(at);
  group.arrivals.erase(arrival_of(*request));
  group.rows -= request->rows();
  rows_ -= request->rows();
  --requests_;
  request->is_queued = false;
  return request;
}

bool BatchQueue::remove(Request& request) {
  if (!request.is_queued) return false;
  Entry& entry = *groups_.find(kind_of(request));
  drop(entry.second, rank_of(request));
  settle(entry);
  return true;
}

Clock::TimePoint BatchQueue::due_of(const Group& group) const {
  if (hurried_ || group.rows >= rules_.max_batch) return Clock::TimePoint::min();
  return group.arrivals.begin()->time + rules_.max_delay;
}

void BatchQueue::unlist(Entry& entry) {
  Group& group = entry.second;
  if (group.is_listed) due_.erase({group.due, &entry});
  if (group.is_ready) ready_.erase(group.first);
  group.is_listed = group.is_ready = false;
}

void BatchQueue::settle(Entry& entry) {
  unlist(entry);
  Group& group = entry.second;
  if (group.requests.empty()) {
    groups_.erase(groups_.find(entry.first));
    return;
  }
  group.due = due_of(group);
  due_.emplace(group.due, &entry);
  group.is_listed = true;
}

void BatchQueue::hurry() {
  hurried_ = true;
  for (Entry& entry : groups_) settle(entry);
}

Clock::TimePoint BatchQueue::due() const {
  if (!ready_.empty()) return Clock::TimePoint::min();
  return due_.empty() ? Clock::TimePoint::max() : due_.begin()->first;
}

std::vector<RequestPtr> BatchQueue::take(Clock::TimePoint now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    Entry& entry = *due_.begin()->second;
    unlist(entry);
    Group& group = entry.second;
    group.first = group.requests.begin()->first;
    ready_.emplace(group.first, &entry);
    group.is_ready = true;
  }
  std::vector<RequestPtr> batch;
  if (ready_.empty()) return batch;
  Entry& entry = *ready_.begin()->second;
  auto& waiting = entry.second.requests;
  std::int64_t rows = 0;
  // Stops at the first that does not fit: smaller ones behind it would make a large one wait for ever.
  while (!waiting.empty() && (rows == 0 || rows + waiting.begin()->second->rows() <= rules_.max_batch)) {
    rows += waiting.begin()->second->rows();
    batch.push_back(drop(entry.second, waiting.begin()->first));
  }
  settle(entry);
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
  due_.clear();
  ready_.clear();
  requests_ = rows_ = 0;
  return all;
}

}  // namespace minima::inference
