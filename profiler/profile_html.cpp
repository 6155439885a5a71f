#include <minima/profiler/profile_html.h>

#include <minima/io/plots/svg.h>
#include <minima/io/text/columns.h>
#include <minima/profiler/flame_graph.h>
#include <minima/profiler/gpu_report.h>
#include <minima/profiler/host/host_report.h>
#include <minima/profiler/host/pool_use.h>
#include <minima/profiler/memory_timeline.h>
#include <minima/profiler/recording.h>
#include <minima/profiler/report.h>
#include <minima/profiler/roofline.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/system/system_info.h>

#include <errno.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace minima::profiler {

namespace {

constexpr const char* before = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Profile</title>
<style>
body { font: 14px system-ui, sans-serif; margin: 2em auto; max-width: 1040px; color: #222; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { padding: 3px 10px; text-align: right; border-bottom: 1px solid #e4e4e4; }
th.text, td.text { text-align: left; }
.wide { overflow-x: auto; }
#ledger td:last-child { width: 420px; }
.bar { height: 12px; background: #9ecae1; border-radius: 2px; }
#ops th { cursor: pointer; user-select: none; }
svg { max-width: 100%; height: auto; }
</style></head><body>
)";
// Sorts numbers by value, largest first, and texts by name; the second click on a column reverses.
constexpr const char* after = R"(<script>
const body = document.querySelector('#ops tbody');
let last = -1, sign = 1;
document.querySelectorAll('#ops th').forEach((head, column) => head.addEventListener('click', () => {
  sign = column === last ? -sign : 1;
  last = column;
  const text = head.classList.contains('text'), value = row => row.cells[column].textContent;
  const rows = [...body.rows].sort((a, b) =>
    sign * (text ? value(a).localeCompare(value(b)) : parseFloat(value(b)) - parseFloat(value(a))));
  body.append(...rows);
}));
</script></body></html>
)";

std::string words(const std::string& text) { return "<td class=\"text\">" + svg::escaped(text) + "</td>"; }
std::string figure(double value, int decimals) { return "<td>" + fixed(value, decimals) + "</td>"; }

std::string ledger_table(const Ledger& ledger) {
  const double total = ledger.total();
  std::string out =
      "<table id=\"ledger\"><thead><tr><th "
      "class=\"text\">where</th><th>ms</th><th>%</th><th></th></tr></thead><tbody>\n";
  const auto row = [&](const char* name, double seconds) {
    const double percent = total > 0 ? 100 * seconds / total : 0;
    out += "<tr>" + words(name) + figure(1e3 * seconds, 3) + figure(percent, 1) +
           "<td><div class=\"bar\" style=\"width: " + fixed(percent, 1) + "%\"></div></td></tr>\n";
  };
  row("compute", ledger.compute);
  row("memory", ledger.memory);
  row("calls", ledger.calls);
  if (ledger.launch > 0) row("launch", ledger.launch);
  row("engine", ledger.engine);
  row("threads", ledger.threads);
  row("synchronization", ledger.synchronization);
  row("transfers", ledger.transfers);
  row("communication", ledger.communication);
  row("loader", ledger.loader);
  row("host", ledger.host);
  return out + "<tr><th class=\"text\">step</th><th>" + fixed(1e3 * total, 3) + "</th><th>100.0</th><th></th></tr>" +
         "</tbody></table>\n";
}

/// Where and when a step was recorded: `train on AMD EPYC 9554, 2 threads, 2026-11-28 10:15`.
std::string facts(const Report& report) {
  if (report.predicted) return "";
  const CpuInfo cpu = cpu_info();
  std::string text = program_invocation_short_name;
  text += str(" on ", cpu.name.empty() ? "an unknown processor" : cpu.name, ", ", report.threads,
              report.threads == 1 ? " thread" : " threads");
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  char date[32];
  if (localtime_r(&now, &local) && std::strftime(date, sizeof date, ", %Y-%m-%d %H:%M", &local) > 0) text += date;
  text += ".";
  if (report.host.processor.seconds > 0) text += str(" The process had ", report.host.processor.text(), ".");
  return "<p>" + svg::escaped(text) + "</p>\n";
}

std::string ops_table(const Report& report) {
  const bool on_gpu = report.gpu != GpuSource::none;
  const double per_step = 1 / static_cast<double>(std::max<std::int64_t>(report.steps, 1));
  std::string out =
      "<div class=\"wide\"><table id=\"ops\"><thead><tr><th class=\"text\">operator</th><th class=\"text\">module</th>"
      "<th class=\"text\">pass</th><th>calls</th>" +
      std::string(on_gpu ? "<th>kernels</th><th>host ms</th>" : "") +
      "<th>ms</th><th>GFLOP/s</th><th>GB/s</th><th>FLOP/byte</th><th>% of roof</th>"
      "<th>lost ms</th><th>alloc MB</th><th>kept MB</th><th class=\"text\">bound</th></tr></thead><tbody>\n";
  for (const Row& row : report.rows) {
    const double rate = row.seconds > 0 ? 1e-9 / row.seconds : 0;
    out +=
        "<tr>" + words(row.op) + words(row.module) + words(row.backward ? "backward" : "forward") +
        figure(static_cast<double>(row.calls) * per_step, 1) +
        (on_gpu ? figure(static_cast<double>(row.kernels) * per_step, 1) + figure(1e3 * row.host_seconds * per_step, 3)
                : "") +
        figure(1e3 * row.seconds * per_step, 3) + figure(row.flops * rate, 1) + figure(row.bytes * rate, 1) +
        figure(row.intensity(), 2) + figure(100 * row.of_roof(), 1) + figure(1e3 * row.lost() * per_step, 3) +
        figure(1e-6 * row.allocated * per_step, 3) + figure(1e-6 * row.kept * per_step, 3) + words(name(row.bound)) +
        "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string threads_table(const PoolUse& pool) {
  if (pool.loops == 0) return "";
  std::string heads = "<th>shared loops</th><th>ms</th><th>occupancy %</th><th>busiest / mean</th>",
              cells = figure(pool.loops, pool.loops == std::floor(pool.loops) ? 0 : 1) + figure(1e3 * pool.seconds, 3) +
                      figure(100 * pool.occupancy, 1) + figure(pool.imbalance, 2);
  constexpr std::size_t most = 16;
  for (std::size_t i = 0; i < std::min(pool.busy.size(), most); ++i) {
    heads += str("<th>thread ", i, ", % busy</th>");
    cells += figure(100 * pool.busy[i], 1);
  }
  return "<h2>Threads</h2>\n<div class=\"wide\"><table id=\"threads\"><tr>" + heads + "</tr>\n<tr>" + cells +
         "</tr></table></div>\n";
}

std::string lines_table(const HostReport& host, double per_step) {
  if (host.lines.empty()) return "";
  std::string out =
      "<h2>Lines of the program</h2>\n<table id=\"lines\"><tr><th>ms</th><th>calls</th><th class=\"text\">line</th>"
      "<th class=\"text\">longest operator</th></tr>\n";
  for (const HostReport::Line& line : host.lines)
    out += "<tr>" + figure(1e3 * line.seconds * per_step, 3) + figure(static_cast<double>(line.calls) * per_step, 1) +
           words(line.place.empty() ? "unknown" : line.place) + words(line.longest) + "</tr>\n";
  return out + "</table>\n";
}

/// A count, or an empty cell where there is none.
std::string count(std::int64_t value, double scale) {
  return value < 0 ? "<td></td>" : figure(static_cast<double>(value) * scale, 0);
}

std::string counters_table(const HostReport& host, double per_step) {
  std::string out;
  if (!host.no_counters.empty())
    out += "<p>Counters of the processor: none, " + svg::escaped(host.no_counters) + ".</p>\n";
  if (host.counted.empty()) return out;
  out +=
      "<h2>Counters</h2>\n<table id=\"counters\"><tr><th class=\"text\">operator</th><th class=\"text\">pass</th>"
      "<th>ms</th><th>cycles</th><th>instructions</th><th>cache misses</th><th>page faults</th></tr>\n";
  for (const HostReport::Op& op : host.counted)
    out += "<tr>" + words(op.name) + words(op.backward ? "backward" : "forward") +
           figure(1e3 * op.seconds * per_step, 3) + count(op.counts.cycles, per_step) +
           count(op.counts.instructions, per_step) + count(op.counts.cache_misses, per_step) +
           count(op.counts.page_faults, per_step) + "</tr>\n";
  return out + "</table>\n";
}

}  // namespace

std::string profile_html(const Report& report, const Recording& recording, const std::vector<std::string>& pictures) {
  const std::string gpu = report.gpu == GpuSource::none ? "" : str(" ", svg::escaped(describe_gpu(report)), ".");
  std::string more;
  for (const std::string& picture : pictures) more += picture;
  const double per_step = 1 / static_cast<double>(std::max<std::int64_t>(report.steps, 1));
  return str(before, "<h1>", fixed(1e3 * report.ledger.total(), 3), " ms a step", report.predicted ? ", predicted" : "",
             "</h1>\n<p>", report.steps, report.steps == 1 ? " step, " : " steps, ", svg::escaped(report.diagnosis()),
             ".", gpu, "</p>\n", facts(report)) +
         ledger_table(report.ledger) + flame_graph_svg(recording) + memory_timeline_svg(recording) + more +
         roofline_svg(report) + threads_table(report.host.pool) + lines_table(report.host, per_step) +
         counters_table(report.host, per_step) + "<h2>Operators</h2>\n<p>Click on a column to sort by it.</p>\n" +
         ops_table(report) + after;
}

}  // namespace minima::profiler
