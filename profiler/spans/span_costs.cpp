#include <minima/profiler/spans/span_costs.h>

#include <cstddef>
#include <vector>

namespace minima::profiler {

std::vector<Cost> costs_of(const std::vector<Span>& spans) {
  std::vector<Cost> costs(spans.size());
  for (std::size_t i = spans.size(); i-- > 0;) {  // what a span runs comes after it
    const Span& span = spans[i];
    if (span.kind == SpanKind::op && (span.cost.flops > 0 || span.cost.bytes > 0)) costs[i] = span.cost;
    if (span.parent < 0) continue;
    Cost& outer = costs[static_cast<std::size_t>(span.parent)];
    outer.flops += costs[i].flops;
    outer.bytes += costs[i].bytes;
  }
  return costs;
}

}  // namespace minima::profiler
