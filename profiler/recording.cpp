#include <minima/profiler/recording.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

namespace minima::profiler {

std::vector<std::int32_t> forward_of(const Recording& recording) {
  std::map<std::uint64_t, std::int32_t> forward;  // by the newest node before theirs, the last operator that ended
  for (std::size_t i = 0; i < recording.spans.size(); ++i) {
    const Span& span = recording.spans[i];
    if (span.kind != SpanKind::op) continue;
    const auto [place, is_new] = forward.try_emplace(span.sequence, static_cast<std::int32_t>(i));
    if (!is_new && recording.spans[static_cast<std::size_t>(place->second)].end <= span.end)
      place->second = static_cast<std::int32_t>(i);
  }
  std::vector<std::int32_t> result(recording.spans.size(), -1);
  for (std::size_t i = 0; i < recording.spans.size(); ++i) {
    const Span& span = recording.spans[i];
    if (span.kind != SpanKind::formula) continue;
    const auto next = forward.lower_bound(span.sequence);
    if (next == forward.begin()) continue;
    const std::int32_t from = std::prev(next)->second;
    if (recording.spans[static_cast<std::size_t>(from)].begin <= span.begin) result[i] = from;
  }
  return result;
}

void give_stacks(Recording& recording) {
  std::vector<std::int32_t>& stack_of = recording.host.stack_of;
  if (stack_of.empty()) return;
  stack_of.resize(recording.spans.size());
  const std::vector<std::int32_t> forward = forward_of(recording);
  for (std::size_t i = 0; i < recording.spans.size(); ++i) {
    const Span& span = recording.spans[i];
    const std::int32_t from = forward[i] >= 0 ? forward[i] : span.parent;
    const bool is_inside = span.parent >= 0 && (span.backward || stack_of[i] == 0);
    if (forward[i] >= 0 || is_inside) stack_of[i] = stack_of[static_cast<std::size_t>(from)];
  }
}

}  // namespace minima::profiler
