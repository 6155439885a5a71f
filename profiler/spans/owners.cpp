#include <minima/profiler/spans/owners.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace minima::profiler {

std::vector<std::int32_t> owners_of(const std::vector<Span>& spans) {
  std::vector<std::int32_t> owners(spans.size(), -1);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    const std::int32_t outer = span.parent < 0 ? -1 : owners[static_cast<std::size_t>(span.parent)];
    const bool is_in_op = outer >= 0 && spans[static_cast<std::size_t>(outer)].kind == SpanKind::op;
    const bool owns = span.kind == SpanKind::op || span.kind == SpanKind::formula || span.kind == SpanKind::range;
    owners[i] = owns && !is_in_op ? static_cast<std::int32_t>(i) : outer;
  }
  return owners;
}

std::vector<bool> halves_of(const std::vector<Span>& spans) {
  std::unordered_set<std::uint64_t> nodes;  // whose results have half types
  for (const Span& span : spans)
    if (span.half) nodes.insert(span.sequence);
  std::vector<bool> halves(spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    const bool inherits =
        span.backward && span.kind == SpanKind::op && span.parent >= 0 && halves[static_cast<std::size_t>(span.parent)];
    const bool is_recorded = span.kind == SpanKind::op && nodes.contains(span.sequence + 1);  // its node comes next
    halves[i] = span.half || inherits || is_recorded;
  }
  return halves;
}

std::string owner_name(const NamedSpans& recording, const Span& owner) {
  const std::string& name = recording.name(owner);
  switch (owner.kind) {
    case SpanKind::formula: return "gradient of " + name;
    case SpanKind::range: return "range " + name;
    default: return name;
  }
}

}  // namespace minima::profiler
