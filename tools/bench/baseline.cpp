#include "baseline.h"

#include <minima/io/files/read_to_end.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdio>
#include <optional>
#include <string>

using minima::Json;
using minima::str;

namespace bench {

Baseline::Baseline(const std::string& path) {
  const std::optional<std::string> text = minima::detail::read_to_end(path);
  if (!text) throw minima::ValueError(str(path, ": cannot be read"));
  file_ = Json::parse(*text, path);
  if (file_.kind() != Json::Kind::object || !file_.find("tables"))
    throw minima::ValueError(str(path, ": is no result of minima-bench --json"));
}

Baseline::Comparison Baseline::compare(const Benchmark& benchmark, const Table& table, double threshold) const {
  Comparison result;
  const Json* const before = file_.at("tables").find(benchmark.key);
  if (!before) return result;
  for (const Table::Row& row : table.rows) {
    const Json* const figures = before->at("rows").find(row.name);
    if (!figures) continue;
    for (std::size_t c = 0; c < row.figures.size(); ++c) {
      const Column& column = table.columns[c];
      const Json* const figure = figures->find(column.name);
      if (column.better == Better::none || !figure || !std::isfinite(row.figures[c])) continue;
      const double now = row.figures[c], then = figure->number();
      if (!(now > 0 && then > 0)) continue;
      ++result.compared;
      const double ratio = column.better == Better::lower ? now / then : then / now;
      if (ratio <= threshold) continue;
      char line[64];
      std::snprintf(line, sizeof line, ": %.4g, was %.4g (%.2f times worse)\n", now, then, ratio);
      result.worse += str(benchmark.key, ", ", row.name, ", ", column.name) + line;
    }
  }
  return result;
}

}  // namespace bench
