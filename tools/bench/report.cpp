#include "report.h"

#include <minima/io/text/columns.h>
#include <minima/profiler/host/host_report.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using minima::Json;
using minima::width_of;

namespace bench {

namespace {

/// Three significant digits, without an exponent.
std::string figure_text(double figure) {
  if (std::isnan(figure)) return "-";
  const double size = std::abs(figure);
  char text[64];
  std::snprintf(text, sizeof text, "%.*f",
                size >= 99.95 || size == 0 ? 0
                : size >= 9.995            ? 1
                : size >= 0.9995           ? 2
                                           : 4,
                figure);
  return text;
}

}  // namespace

std::string text_of(const Benchmark& benchmark, const Table& table) {
  std::vector<std::vector<std::string>> cells{{table.rows_are}};
  for (const Column& column : table.columns) cells[0].push_back(column.name);
  for (const Table::Row& row : table.rows) {
    cells.push_back({row.name});
    for (const double figure : row.figures) cells.back().push_back(figure_text(figure));
  }
  std::vector<std::size_t> widths(table.columns.size() + 1);
  for (const auto& row : cells)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  std::string text = std::string("\n") + benchmark.key + ": " + benchmark.title + '\n';
  for (const auto& row : cells) {
    std::string line = "  ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string gap(widths[c] - width_of(row[c]), ' ');
      line += c == 0 ? row[c] + gap : "  " + gap + row[c];
    }
    text += line + '\n';
  }
  for (const std::string& note : table.notes) text += "  " + note + '\n';
  if (table.processor.is_short()) text += "  Too slow: the process had " + table.processor.text() + ".\n";
  return text;
}

Json json_of(const Table& table) {
  Json columns = Json::array(), rows = Json::object(), notes = Json::array();
  for (const Column& column : table.columns) {
    const char* better = column.better == Better::none ? "none" : column.better == Better::lower ? "lower" : "higher";
    columns.push_back(Json::object({{"name", column.name}, {"better", better}}));
  }
  for (const Table::Row& row : table.rows) {
    Json figures = Json::object();
    for (std::size_t c = 0; c < row.figures.size(); ++c)
      if (std::isfinite(row.figures[c])) figures.set(table.columns[c].name, row.figures[c]);
    rows.set(row.name, std::move(figures));
  }
  for (const std::string& note : table.notes) notes.push_back(note);
  Json result = Json::object({{"columns", columns}, {"rows", rows}, {"notes", notes}});
  if (table.processor.seconds > 0) result.set("processor", minima::profiler::json_of(table.processor));
  return result;
}

}  // namespace bench
