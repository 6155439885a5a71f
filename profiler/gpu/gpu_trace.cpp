#include <minima/profiler/gpu/gpu_trace.h>

#include <minima/io/text/json.h>
#include <minima/profiler/gpu/gpu_work.h>
#include <minima/profiler/spans/owners.h>
#include <minima/profiler/spans/span.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace minima::profiler {

namespace {

/// The thread is process 1. Its rows have other numbers, as traces of several ranks are merged to a process for each
/// rank.
int process_of(const GpuWork& work) { return 2 + work.device; }
int gpu_row_of(const GpuWork& work) { return 10'000 + 1'000 * work.device + work.stream; }

std::string named(const char* what, int process, int thread, const std::string& name) {
  return str(",\n{\"ph\":\"M\",\"pid\":", process, ",\"tid\":", thread, ",\"name\":\"", what,
             "\",\"args\":{\"name\":", json_quoted_name(name), "}}");
}

/// Says whose work it is, for the arguments of its slice.
std::string owner_of(const GpuRecording& gpu, const NamedSpans& recording, const GpuWork& work,
                     const std::vector<std::int32_t>& owners) {
  std::string op, module;
  if (work.captured >= 0) {
    const CapturedOp& captured = gpu.captured[static_cast<std::size_t>(work.captured)];
    op = captured.op;
    module = captured.module;
  } else if (const std::int32_t owner = work.span < 0 ? -1 : owners[static_cast<std::size_t>(work.span)]; owner >= 0) {
    const Span& span = recording[owner];
    op = owner_name(recording, span);
    module = recording.module(span);
  }
  return str("\"op\":", json_quoted_name(op), ",\"module\":", json_quoted_name(module),
             work.bytes > 0 ? str(",\"bytes\":", work.bytes) : "");
}

std::string arrow(const char* phase, int process, int thread, std::size_t id, double seconds) {
  return str(",\n{\"ph\":\"", phase, "\",\"bp\":\"e\",\"pid\":", process, ",\"tid\":", thread,
             ",\"cat\":\"launch\",\"name\":\"launch\",\"id\":", id, ",\"ts\":", 1e6 * seconds, "}");
}

}  // namespace

std::string gpu_trace(const GpuRecording& gpu, const NamedSpans& recording, int (*row_of)(const Span& span)) {
  const std::vector<std::int32_t> owners = owners_of(recording.spans);
  std::set<int> rows;
  std::set<std::uint64_t> launches;
  std::string out;
  for (std::size_t i = 0; i < gpu.work.size(); ++i) {
    const GpuWork& work = gpu.work[i];
    const int process = process_of(work);
    const int row = gpu_row_of(work);
    if (rows.insert(row).second) {
      out += named("process_name", process, 0,
                   str("cuda:", work.device, ", ", gpu.device, gpu.predicted ? ", predicted" : ""));
      out += named("thread_name", process, row, str("cuda:", work.device, ", stream ", work.stream));
    }
    out += str(",\n{\"ph\":\"X\",\"pid\":", process, ",\"tid\":", row, ",\"cat\":\"", name(work.kind),
               "\",\"name\":", json_quoted_name(recording.names[static_cast<std::size_t>(work.name)]),
               ",\"ts\":", 1e6 * work.begin, ",\"dur\":", 1e6 * work.seconds(), ",\"args\":{",
               owner_of(gpu, recording, work, owners), "}}");
    if (work.span < 0 || (work.launch != 0 && !launches.insert(work.launch).second)) continue;
    const Span& from = recording[work.span];
    const bool is_inside = work.launched >= from.begin && work.launched <= from.end;
    out += arrow("s", 1, row_of(from), i, is_inside ? work.launched : from.begin) +
           arrow("f", process, row, i, work.begin);
  }
  return out;
}

}  // namespace minima::profiler
