#include <minima/profiler/gpu/captured_labels.h>

#include <minima/profiler/spans/owners.h>
#include <minima/profiler/spans/span_costs.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace minima::profiler {

constinit thread_local CapturedNodes* captured_nodes = nullptr;

CapturedLabels& CapturedLabels::all() {
  static auto* const labels = new CapturedLabels;  // graphs may be destroyed after static objects
  return *labels;
}

std::int32_t CapturedLabels::add(CapturedOp op) {
  const std::lock_guard lock(mutex_);
  ops_.push_back(std::move(op));
  return static_cast<std::int32_t>(ops_.size()) - 1;
}

void CapturedLabels::label(std::uint64_t node, std::int32_t op) {
  const std::lock_guard lock(mutex_);
  of_node_[node] = op;
}

void CapturedLabels::copy(std::uint64_t node, std::uint64_t copy) {
  const std::lock_guard lock(mutex_);
  if (const auto found = of_node_.find(node); found != of_node_.end()) of_node_[copy] = found->second;
}

std::int32_t CapturedLabels::find(std::uint64_t node) const {
  const std::lock_guard lock(mutex_);
  const auto found = of_node_.find(node);
  return found == of_node_.end() ? -1 : found->second;
}

CapturedOp CapturedLabels::op(std::int32_t number) const {
  const std::lock_guard lock(mutex_);
  return ops_[static_cast<std::size_t>(number)];
}

void label_nodes(const NamedSpans& recording, const CapturedNodes& captured) {
  if (captured.nodes.empty()) return;
  const std::vector<std::int32_t> owners = owners_of(recording.spans);
  const std::vector<bool> halves = halves_of(recording.spans);
  const std::vector<Cost> costs = costs_of(recording.spans);
  std::map<std::int32_t, std::int32_t> numbers;  // of operators, by their spans
  for (const auto& [node, span] : captured.nodes) {
    const std::int32_t owner = span < 0 ? -1 : owners[static_cast<std::size_t>(span)];
    if (owner < 0) continue;
    const auto [number, is_new] = numbers.try_emplace(owner, -1);
    if (is_new) {
      const auto place = static_cast<std::size_t>(owner);
      const Span& from = recording.spans[place];
      number->second = CapturedLabels::all().add({.op = owner_name(recording, from),
                                                  .module = recording.module(from),
                                                  .backward = from.backward,
                                                  .half = halves[place],
                                                  .cost = from.kind == SpanKind::op ? costs[place] : Cost{}});
    }
    CapturedLabels::all().label(node, number->second);
  }
}

}  // namespace minima::profiler
