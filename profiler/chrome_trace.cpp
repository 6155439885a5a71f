#include <minima/profiler/chrome_trace.h>

#include <minima/io/text/json.h>
#include <minima/profiler/gpu/gpu_trace.h>
#include <minima/profiler/memory_curve.h>
#include <minima/profiler/recording.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/blocks/memory_stats.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <string>

namespace minima::profiler {

namespace {

const char* category(SpanKind kind) {
  switch (kind) {
    case SpanKind::op: return "op";
    case SpanKind::formula: return "gradient";
    case SpanKind::module: return "module";
    case SpanKind::range: return "range";
    case SpanKind::wait: return "wait";
  }
  return "";
}

std::string slice(const Recording& recording, const Span& span) {
  std::string args = str("\"module\":", json_quoted(recording.module(span)));
  if (span.cost.flops > 0 || span.cost.bytes > 0)
    args += str(",\"flops\":", span.cost.flops, ",\"bytes\":", span.cost.bytes);
  return str("{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"cat\":\"", category(span.kind),
             "\",\"name\":", json_quoted(recording.name(span)), ",\"ts\":", 1e6 * span.begin,
             ",\"dur\":", 1e6 * span.seconds(), ",\"args\":{", args, "}}");
}

/// One end of an arrow, in the slice that contains this time.
std::string arrow(const char* phase, std::uint64_t id, double seconds) {
  return str("{\"ph\":\"", phase,
             "\",\"bp\":\"e\",\"pid\":1,\"tid\":1,\"cat\":\"gradient\",\"name\":\"gradient\",\"id\":", id,
             ",\"ts\":", 1e6 * seconds, "}");
}

/// What is allocated from this time on.
std::string counter(Device device, const MemoryPoint& point) {
  std::string args;
  for (int i = 0; i < purpose_count; ++i)
    args += str(args.empty() ? "" : ",", json_quoted(name(static_cast<Purpose>(i))), ":", point.by[i]);
  return str("{\"ph\":\"C\",\"pid\":1,\"name\":\"memory of ", device, "\",\"ts\":", 1e6 * point.seconds, ",\"args\":{",
             args, "}}");
}

}  // namespace

std::string chrome_trace(const Recording& recording) {
  std::map<std::uint64_t, const Span*> forward;  // by the newest node before theirs, the last operator that ended
  for (const Span& span : recording.spans)
    if (span.kind == SpanKind::op) {
      const Span*& last = forward[span.sequence];
      if (!last || last->end <= span.end) last = &span;
    }
  std::string out =
      "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
      "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"training\"}}";
  for (const Span& span : recording.spans) {
    out += ",\n" + slice(recording, span);
    if (span.kind != SpanKind::formula) continue;
    const auto next = forward.lower_bound(span.sequence);
    if (next == forward.begin()) continue;
    const Span& from = *std::prev(next)->second;
    if (from.begin > span.begin) continue;  // recorded before the recording began
    out += ",\n" + arrow("s", span.sequence, from.begin) + ",\n" + arrow("f", span.sequence, span.begin);
  }
  for (const Device device : devices_of(recording))
    for (const MemoryPoint& point : memory_curve(recording, device)) out += ",\n" + counter(device, point);
  return out + gpu_trace(recording.gpu, recording.named(), [](const Span&) { return 1; }) + "\n]}\n";
}

}  // namespace minima::profiler
