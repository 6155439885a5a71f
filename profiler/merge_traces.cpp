#include <minima/profiler/merge_traces.h>

#include <minima/io/files/read_to_end.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

struct Trace {
  Json json;
  std::string clock;  ///< of which machine, since when
  std::int64_t start_ns = 0;
  std::vector<double> ends;  ///< of collectives, in order, in microseconds
};

const std::vector<Json>& events_of(const Trace& trace) { return trace.json.at("traceEvents").items(); }

bool is_collective(const Json& event) {
  const Json* const category = event.find("cat");
  return category && category->string() == collective_row;
}

Trace parse(const std::string& text, std::size_t rank) {
  Trace trace;
  trace.json = Json::parse(text, str("the trace of rank ", rank));
  const Json* const clock = trace.json.find("minimaClock");
  if (!clock)
    throw ValueError(
        str("merge_traces: the trace of rank ", rank, " does not tell its clock; write it by chrome_trace"));
  trace.clock = clock->at("machine").string();
  trace.start_ns = clock->at("start_ns").integer();
  for (const Json& event : events_of(trace))
    if (is_collective(event)) trace.ends.push_back(event.at("ts").number() + event.at("dur").number());
  return trace;
}

/// Returns what to add to times of the trace, in microseconds.
double shift(const Trace& trace, const Trace& first, std::size_t rank) {
  if (trace.clock == first.clock) return 1e-3 * static_cast<double>(trace.start_ns - first.start_ns);
  const std::size_t common = std::min(trace.ends.size(), first.ends.size());
  if (common == 0)
    throw ValueError(str("merge_traces: the trace of rank ", rank,
                         " is from another machine than the first one, and they have no collective in common"));
  std::vector<double> shifts;
  shifts.reserve(common);
  for (std::size_t i = 0; i < common; ++i) shifts.push_back(first.ends[i] - trace.ends[i]);
  const auto middle = shifts.begin() + static_cast<std::ptrdiff_t>(common / 2);
  std::nth_element(shifts.begin(), middle, shifts.end());
  return *middle;
}

std::string process_name(std::size_t rank) {
  return str("{\"ph\":\"M\",\"pid\":", rank, ",\"name\":\"process_name\",\"args\":{\"name\":\"rank ", rank,
             "\"}},\n{\"ph\":\"M\",\"pid\":", rank, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":", rank,
             "}}");
}

}  // namespace

std::string this_clock() {
  std::string clock = detail::read_to_end("/proc/sys/kernel/random/boot_id").value_or("");
  clock.erase(std::min(clock.find('\n'), clock.size()));
  return clock;
}

std::string clock_note(const std::string& clock, std::int64_t start_ns) {
  return str("\"minimaClock\":{\"machine\":", json_quoted(clock), ",\"start_ns\":", start_ns, "}");
}

std::string merge_traces(const std::vector<std::string>& traces) {
  if (traces.empty()) throw ValueError("merge_traces: there is no trace");
  Trace first;
  std::string out;
  for (std::size_t rank = 0; rank < traces.size(); ++rank) {
    Trace trace = parse(traces[rank], rank);
    if (rank == 0)
      out = str("{\"displayTimeUnit\":\"ms\",", clock_note(trace.clock, trace.start_ns), ",\"traceEvents\":[\n");
    const double later = rank == 0 ? 0 : shift(trace, first, rank);
    out += (rank == 0 ? "" : ",\n") + process_name(rank);
    for (Json event : events_of(trace)) {
      if (const Json* const name = event.find("name"); name && name->string() == "process_name") continue;  // a GPU's
      event.set("pid", rank);
      if (const Json* const time = event.find("ts")) event.set("ts", time->number() + later);
      if (const Json* const id = event.find("id"))  // arrows of ranks must not meet
        event.set("id", str(rank, ".", id->unsigned_integer()));
      out += ",\n" + event.text();
    }
    if (rank == 0) first = std::move(trace);
  }
  return out + "\n]}\n";
}

}  // namespace minima::profiler
