#include "screen.h"

#include <minima/io/files/format_error.h>
#include <minima/io/text/columns.h>
#include <minima/train/monitor/machine_sample.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using minima::first_columns;
using minima::width_of;
using minima::detail::printable;
using minima::train::RunStatus;

namespace {

std::string number(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string duration(double seconds) {
  const auto whole = static_cast<long>(seconds);
  char text[48];
  std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  return text;
}

std::vector<std::string> cells_of(const RunStatus& run) {
  std::string step = std::to_string(run.step), left = "-";
  if (run.steps > 0) {
    step += '/';
    step += std::to_string(run.steps);
    if (run.rate > 0) left = duration(static_cast<double>(std::max<std::int64_t>(run.steps - run.step, 0)) / run.rate);
  }
  return {std::to_string(run.process),
          printable(run.name),
          printable(run.device),
          step,
          std::isnan(run.loss) ? "-" : number("%.4g", run.loss),
          number("%.3g", run.rate),
          duration(run.seconds),
          left,
          minima::train::short_text(run.machine)};
}

}  // namespace

std::string screen_of(const std::vector<RunStatus>& runs, std::size_t columns) {
  if (runs.empty()) return "no training runs that has a train::Monitor\n";
  std::vector<std::vector<std::string>> rows{
      {"process", "run", "device", "step", "loss", "steps/s", "time", "left", "machine"}};
  for (const RunStatus& run : runs) rows.push_back(cells_of(run));
  std::vector<std::size_t> widths(rows[0].size());
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const std::string gap(widths[c] - width_of(rows[r][c]), ' ');
      const bool is_text = c == 1 || c == 2 || c == 8;
      if (c > 0) line.append(2, ' ');
      if (!is_text) line += gap;
      line += rows[r][c];
      if (is_text && c != 8) line += gap;
    }
    text += first_columns(line, columns) + '\n';
    if (r > 0 && !runs[r - 1].alert.empty())
      text += first_columns("  ! " + printable(runs[r - 1].alert), columns) + '\n';
  }
  return text;
}
