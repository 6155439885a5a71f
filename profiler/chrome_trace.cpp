#include <minima/profiler/chrome_trace.h>

#include <minima/io/text/json.h>
#include <minima/profiler/gpu/gpu_trace.h>
#include <minima/profiler/host/host_recording.h>
#include <minima/profiler/memory_curve.h>
#include <minima/profiler/merge_traces.h>
#include <minima/profiler/recording.h>
#include <minima/profiler/spans/span.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/blocks/memory_stats.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

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

/// Rows of the trace. Threads of loops and what works in the background follow.
constexpr int training = 1, autograd = 2, first_thread = 10, first_background = 1100;

int row_of(const Span& span) { return span.backward ? autograd : training; }

std::string row_name(int row, const std::string& name) {
  return str("{\"ph\":\"M\",\"pid\":1,\"tid\":", row,
             ",\"name\":\"thread_name\",\"args\":{\"name\":", json_quoted_name(name),
             "}},\n{\"ph\":\"M\",\"pid\":1,\"tid\":", row,
             ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":", row, "}}");
}

std::string plain_slice(int row, const char* category, const std::string& name, double begin, double end,
                        const std::string& args = "") {
  return str("{\"ph\":\"X\",\"pid\":1,\"tid\":", row, ",\"cat\":\"", category, "\",\"name\":", json_quoted_name(name),
             ",\"ts\":", 1e6 * begin, ",\"dur\":", 1e6 * (end - begin), ",\"args\":{", args, "}}");
}

std::string stack_text(const CallStack& stack) {
  std::string text;
  for (const std::string& frame : stack.frames) text += (text.empty() ? "" : "\n") + frame;
  return text;
}

std::string slice(const Recording& recording, std::size_t place) {
  const Span& span = recording.spans[place];
  std::string args = str("\"module\":", json_quoted_name(recording.module(span)));
  if (span.cost.flops > 0 || span.cost.bytes > 0)
    args += str(",\"flops\":", span.cost.flops, ",\"bytes\":", span.cost.bytes);
  const HostRecording& host = recording.host;
  if (place < host.stack_of.size() && host.stack_of[place] > 0)
    args += ",\"stack\":" + json_quoted_name(stack_text(host.stacks[static_cast<std::size_t>(host.stack_of[place])]));
  return plain_slice(row_of(span), category(span.kind), recording.name(span), span.begin, span.end, args);
}

/// One end of an arrow, in the slice that contains this time.
std::string arrow(const char* phase, std::uint64_t id, int row, double seconds) {
  return str("{\"ph\":\"", phase, "\",\"bp\":\"e\",\"pid\":1,\"tid\":", row,
             ",\"cat\":\"gradient\",\"name\":\"gradient\",\"id\":", id, ",\"ts\":", 1e6 * seconds, "}");
}

/// Ranges of loops that other threads ran, by the operator that they belong to.
std::string thread_rows(const Recording& recording) {
  std::string out;
  std::vector<bool> named(static_cast<std::size_t>(first_background - first_thread));
  for (const ThreadRange& range : recording.host.ranges) {
    if (range.thread == 0 || static_cast<std::size_t>(range.thread) >= named.size()) continue;
    const int row = first_thread + range.thread;
    if (!named[static_cast<std::size_t>(range.thread)])
      out += ",\n" + row_name(row, str("loops, thread ", range.thread));
    named[static_cast<std::size_t>(range.thread)] = true;
    std::string name = "loop";
    if (range.span >= 0)
      if (const auto span = static_cast<std::size_t>(range.span); span < recording.spans.size())
        name = recording.name(recording.spans[span]);
    out += ",\n" + plain_slice(row, "loop", name, range.begin, range.end);
  }
  return out;
}

/// Stages of loaders, collectives and messages.
std::string background_rows(const Recording& recording) {
  std::map<std::string, int> rows;
  for (const BackgroundSpan& span : recording.host.background) rows.emplace(span.row, 0);
  std::string out;
  int next = first_background;
  for (auto& [name, row] : rows) {
    row = next++;
    out += ",\n" + row_name(row, name);
  }
  for (const BackgroundSpan& span : recording.host.background)
    out += ",\n" + plain_slice(rows[span.row], span.row == collective_row ? collective_row : "background", span.what,
                               span.begin, span.end);
  return out;
}

/// Writes the memory that is allocated from this time on.
std::string counter(Device device, const MemoryPoint& point) {
  std::string args;
  for (int i = 0; i < purpose_count; ++i)
    args += str(args.empty() ? "" : ",", json_quoted(name(static_cast<Purpose>(i))), ":", point.by[i]);
  return str("{\"ph\":\"C\",\"pid\":1,\"name\":\"memory of ", device, "\",\"ts\":", 1e6 * point.seconds, ",\"args\":{",
             args, "}}");
}

}  // namespace

std::string chrome_trace(const Recording& recording) {
  const std::vector<std::int32_t> forward = forward_of(recording);
  std::string out = str("{\"displayTimeUnit\":\"ms\",", clock_note(this_clock(), recording.host.start_ns),
                        ",\"traceEvents\":[\n", row_name(training, "training"), ",\n", row_name(autograd, "autograd"));
  for (std::size_t i = 0; i < recording.spans.size(); ++i) {
    const Span& span = recording.spans[i];
    out += ",\n" + slice(recording, i);
    if (forward[i] < 0) continue;
    const Span& from = recording.spans[static_cast<std::size_t>(forward[i])];
    out += ",\n" + arrow("s", span.sequence, row_of(from), from.begin) + ",\n" +
           arrow("f", span.sequence, row_of(span), span.begin);
  }
  out += thread_rows(recording) + background_rows(recording);
  for (const Device device : devices_of(recording))
    for (const MemoryPoint& point : memory_curve(recording, device)) out += ",\n" + counter(device, point);
  return out + gpu_trace(recording.gpu, recording.named(), row_of) + "\n]}\n";
}

}  // namespace minima::profiler
