#include <minima/profiler/profile_html.h>

#include <minima/io/plots/svg.h>
#include <minima/io/text/columns.h>
#include <minima/profiler/flame_graph.h>
#include <minima/profiler/gpu_report.h>
#include <minima/profiler/memory_timeline.h>
#include <minima/profiler/recording.h>
#include <minima/profiler/report.h>
#include <minima/profiler/roofline.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace minima::profiler {

namespace {

constexpr const char* before = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Profile</title>
<style>
body { font: 14px system-ui, sans-serif; margin: 2em auto; max-width: 1040px; color: #222; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { padding: 3px 10px; text-align: right; border-bottom: 1px solid #e4e4e4; }
th.text, td.text { text-align: left; }
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
      "<table id=\"ledger\"><thead><tr><th class=\"text\">where</th><th>ms</th><th>%</th></tr></thead><tbody>\n";
  const auto row = [&](const char* name, double seconds) {
    out +=
        "<tr>" + words(name) + figure(1e3 * seconds, 3) + figure(total > 0 ? 100 * seconds / total : 0, 1) + "</tr>\n";
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
  row("step", total);
  return out + "</tbody></table>\n";
}

std::string ops_table(const Report& report) {
  const double per_step = 1 / static_cast<double>(std::max<std::int64_t>(report.steps, 1));
  std::string out =
      "<table id=\"ops\"><thead><tr><th class=\"text\">operator</th><th class=\"text\">module</th>"
      "<th class=\"text\">pass</th><th>calls</th><th>kernels</th><th>host "
      "ms</th><th>ms</th><th>GFLOP/s</th><th>GB/s</th><th>% of roof</th>"
      "<th>lost ms</th><th>alloc MB</th><th>kept MB</th><th class=\"text\">bound</th></tr></thead><tbody>\n";
  for (const Row& row : report.rows) {
    const double rate = row.seconds > 0 ? 1e-9 / row.seconds : 0;
    out += "<tr>" + words(row.op) + words(row.module) + words(row.backward ? "backward" : "forward") +
           figure(static_cast<double>(row.calls) * per_step, 1) +
           figure(static_cast<double>(row.kernels) * per_step, 1) +
           figure(1e3 * (report.gpu == GpuSource::none ? row.seconds : row.host_seconds) * per_step, 3) +
           figure(1e3 * row.seconds * per_step, 3) + figure(row.flops * rate, 1) + figure(row.bytes * rate, 1) +
           figure(100 * row.of_roof(), 1) + figure(1e3 * row.lost() * per_step, 3) +
           figure(1e-6 * row.allocated * per_step, 3) + figure(1e-6 * row.kept * per_step, 3) + words(name(row.bound)) +
           "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

}  // namespace

std::string profile_html(const Report& report, const Recording& recording) {
  const std::string gpu = report.gpu == GpuSource::none ? "" : str(" ", svg::escaped(describe_gpu(report)));
  return str(before, "<h1>", fixed(1e3 * report.ledger.total(), 3), " ms a step", report.predicted ? ", predicted" : "",
             "</h1>\n<p>", report.steps, report.steps == 1 ? " step" : " steps", gpu,
             ". Click on a column to sort by it.</p>\n") +
         ledger_table(report.ledger) + flame_graph_svg(recording) + memory_timeline_svg(recording) +
         roofline_svg(report) + ops_table(report) + after;
}

}  // namespace minima::profiler
