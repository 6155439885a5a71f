#include <minima/profiler/host/host_report.h>

#include <minima/io/text/columns.h>
#include <minima/io/text/json.h>
#include <minima/profiler/host/counters.h>
#include <minima/profiler/host/host_recording.h>
#include <minima/profiler/host/pool_use.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

double per_step(std::int64_t steps) { return 1 / static_cast<double>(std::max<std::int64_t>(steps, 1)); }

std::string cell(double value, int decimals) { return column(fixed(value, decimals), 12, true); }

/// `part / whole`, or a dash where one of them was not counted.
std::string ratio(std::int64_t part, std::int64_t whole, double scale) {
  if (part < 0 || whole <= 0) return column("-", 12, true);
  return cell(scale * static_cast<double>(part) / static_cast<double>(whole), 2);
}

std::string lines_text(const std::vector<HostReport::Line>& lines, int most, double scale) {
  std::string text = "\nby line of the program\n  " + column("ms", 10, true) + column("calls", 10, true) +
                     "  line, and the operator that takes longest there\n";
  for (std::size_t i = 0; i < std::min(lines.size(), static_cast<std::size_t>(std::max(most, 0))); ++i) {
    const HostReport::Line& line = lines[i];
    text += "  " + column(fixed(1e3 * line.seconds * scale, 3), 10, true) +
            column(fixed(static_cast<double>(line.calls) * scale, 0), 10, true) + "  " +
            (line.place.empty() ? "unknown" : line.place) + ": " + line.longest + "\n";
  }
  return text;
}

std::string counters_text(const std::vector<HostReport::Op>& ops, int most, double scale) {
  std::string text = column("\n  operator", 35) + column("ms", 12, true) + column("instr/cycle", 12, true) +
                     column("miss/1000", 12, true) + column("faults", 12, true) + "\n";
  for (std::size_t i = 0; i < std::min(ops.size(), static_cast<std::size_t>(std::max(most, 0))); ++i) {
    const HostReport::Op& op = ops[i];
    text += column("  " + op.name + (op.backward ? ", backward" : ""), 34) + cell(1e3 * op.seconds * scale, 3) +
            ratio(op.counts.instructions, op.counts.cycles, 1) +
            ratio(op.counts.cache_misses, op.counts.instructions, 1000) +
            (op.counts.page_faults < 0 ? column("-", 12, true)
                                       : cell(static_cast<double>(op.counts.page_faults) * scale, 0)) +
            "\n";
  }
  return text;
}

}  // namespace

Json json_of(const ProcessorUse& processor) {
  return Json::object({{"cores", processor.cores()}, {"usable", processor.usable}, {"share", processor.share()}});
}

void HostSums::add(std::size_t span, const std::string& name, bool backward, double seconds) {
  if (!recording_.stack_of.empty()) {
    Line& line = lines_[recording_.place(span)];
    ++line.calls;
    line.seconds += seconds;
    line.ops[backward ? name + ", backward" : name] += seconds;
  }
  if (span >= recording_.counts.size()) return;
  HostReport::Op& op = ops_[{name, backward}];
  op.name = name;
  op.backward = backward;
  op.seconds += seconds;
  op.counts += recording_.counts[span];
}

HostReport HostSums::report(double seconds, std::int64_t steps) const {
  HostReport report;
  report.pool = pool_use(recording_, seconds, steps);
  report.no_counters = recording_.no_counters;
  for (const auto& [place, line] : lines_) {
    const auto longest = std::max_element(line.ops.begin(), line.ops.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    report.lines.push_back({place, longest->first, line.calls, line.seconds});
  }
  for (const auto& [key, op] : ops_) report.counted.push_back(op);
  const auto longer = [](const auto& a, const auto& b) { return a.seconds > b.seconds; };
  std::stable_sort(report.lines.begin(), report.lines.end(), longer);
  std::stable_sort(report.counted.begin(), report.counted.end(), longer);
  return report;
}

std::string HostReport::text(int most, std::int64_t steps) const {
  std::string text = str("\n", pool.text());
  if (!lines.empty()) text += lines_text(lines, most, per_step(steps));
  if (!no_counters.empty()) text += "\ncounters of the processor: none, " + no_counters + "\n";
  if (!counted.empty()) text += counters_text(counted, most, per_step(steps));
  return text;
}

void HostReport::add_to(Json& report, std::int64_t steps) const {
  const double scale = per_step(steps);
  report.set("threads", pool.json());
  if (processor.seconds > 0) report.set("processor", json_of(processor));
  if (!lines.empty()) {
    Json list = Json::array();
    for (const Line& line : lines)
      list.push_back(Json::object({{"line", line.place},
                                   {"ms", 1e3 * line.seconds * scale},
                                   {"calls", static_cast<double>(line.calls) * scale},
                                   {"longest", line.longest}}));
    report.set("lines", std::move(list));
  }
  if (!no_counters.empty()) report.set("no_counters", no_counters);
  if (counted.empty()) return;
  Json list = Json::array();
  for (const Op& op : counted) {
    Json row = Json::object({{"op", op.name}, {"backward", op.backward}, {"ms", 1e3 * op.seconds * scale}});
    for (const auto& [key, count] :
         {std::pair("cycles", op.counts.cycles), std::pair("instructions", op.counts.instructions),
          std::pair("cache_misses", op.counts.cache_misses), std::pair("page_faults", op.counts.page_faults)})
      if (count >= 0) row.set(key, static_cast<double>(count) * scale);
    list.push_back(std::move(row));
  }
  report.set("counters", std::move(list));
}

}  // namespace minima::profiler
