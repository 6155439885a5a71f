#include <minima/train/statistics/step_statistics.h>

#include <minima/io/plots/heat_map.h>
#include <minima/io/text/columns.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/format.h>
#include <minima/train/statistics/value_summary.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace minima::train {

namespace {

std::string digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2e", value);
  return text.data();
}
std::string percent(double share) { return fixed(100 * share, 1) + "%"; }

/// A figure of a summary, or a dash where nothing was summarised: no gradient is not a gradient of 0.
std::string digits(const ValueSummary& values, double figure) { return values.elements > 0 ? digits(figure) : "-"; }

/// The longest of the names, for a column.
template <class Row>
std::size_t width_of_names(const std::vector<Row>& rows) {
  std::size_t width = 9;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  return width + 2;
}

std::string line(const std::string& name, std::size_t width, const std::vector<std::string>& cells) {
  std::string text = column(name, width);
  for (const std::string& cell : cells) text += column(cell, 11, true);
  return text + "\n";
}

/// The smallest and the largest of some positive figures.
class Range {
 public:
  void add(double value, const std::string& name) {
    if (!(value > 0) || !std::isfinite(value)) return;
    if (value < low_) low_ = value;
    if (value > high_) high_ = value, highest_ = name;
  }
  /// `2.1e-02 to 1.3e+00 (model.layers.2)`
  std::string text() const {
    return high_ > 0 ? str(digits(low_), " to ", digits(high_), " (", highest_, ")") : "none";
  }

 private:
  double low_ = std::numeric_limits<double>::infinity(), high_ = 0;
  std::string highest_;
};

Json to_json(double figure) { return std::isfinite(figure) ? Json(figure) : Json(); }

Json to_json(const ValueSummary& values) {
  return Json::object({{"elements", values.elements},
                       {"zeros", values.zeros},
                       {"non_finite", values.non_finite},
                       {"mean_abs", to_json(values.mean_abs)},
                       {"rms", to_json(values.rms)},
                       {"max_abs", values.max_abs}});
}

double rms_or_infinity(const ValueSummary& values) {
  if (values.elements == 0) return std::nan("");
  return values.non_finite > 0 ? std::numeric_limits<double>::infinity() : values.rms;
}

/// A map with a row for each name that `figures_of` gives in any step, in the order in which they come first.
template <class FiguresOf>
HeatMap heat_map(const std::string& title, const std::vector<StepStatistics>& history, const FiguresOf& figures_of) {
  HeatMap map{.title = title, .x_label = "step"};
  std::map<std::string, std::size_t> rows;
  for (std::size_t column = 0; column < history.size(); ++column) {
    map.x.push_back(static_cast<double>(history[column].step));
    for (const auto& [name, value] : figures_of(history[column])) {
      const auto [row, is_new] = rows.emplace(name, rows.size());
      if (is_new) {
        map.rows.push_back(name);
        map.values.emplace_back(history.size(), std::nan(""));
      }
      map.values[row->second][column] = value;
    }
  }
  return map;
}

}  // namespace

std::int64_t StepStatistics::non_finite() const {
  std::int64_t count = 0;
  for (const ModuleStatistics& m : modules) count += m.activations.non_finite + m.gradients.non_finite;
  for (const ParameterStatistics& p : parameters) count += p.gradient.non_finite + p.weight.non_finite;
  return count;
}

std::string StepStatistics::text() const {
  std::string text = str("step ", step, "\n");
  const std::size_t module_width = width_of_names(modules), parameter_width = width_of_names(parameters);
  text += line("module", module_width, {"rms", "mean |x|", "max |x|", "zeros", "grad rms", "grad max", "not finite"});
  for (const ModuleStatistics& m : modules)
    text += line(m.name, module_width,
                 {digits(m.activations.rms), digits(m.activations.mean_abs), digits(m.activations.max_abs),
                  percent(m.activations.zero_share()), digits(m.gradients, m.gradients.rms),
                  digits(m.gradients, m.gradients.max_abs), str(m.activations.non_finite + m.gradients.non_finite)});
  if (modules.empty()) text += "no module was called; a captured step that is replayed runs no hooks\n";
  text += line("parameter", parameter_width,
               {"rms", "grad rms", "grad max", "zeros", "update rms", "update/rms", "not finite"});
  for (const ParameterStatistics& p : parameters)
    text += line(p.name, parameter_width,
                 {digits(p.weight.rms), digits(p.gradient, p.gradient.rms), digits(p.gradient, p.gradient.max_abs),
                  p.gradient.elements > 0 ? percent(p.gradient.zero_share()) : "-", digits(p.update.rms),
                  digits(p.update_ratio()), str(p.weight.non_finite + p.gradient.non_finite)});
  return text;
}

std::string StepStatistics::short_text() const {
  Range activations, gradients, updates;
  for (const ModuleStatistics& m : modules)
    activations.add(m.activations.rms, m.name), gradients.add(m.gradients.rms, m.name);
  for (const ParameterStatistics& p : parameters) updates.add(p.update_ratio(), p.name);
  const std::int64_t count = non_finite();
  return str("rms of activations ", activations.text(), ", of their gradients ", gradients.text(),
             ", updates per weight ", updates.text(),
             count > 0 ? str(", ", count, " values not finite, first in ", first_non_finite) : "");
}

Json StepStatistics::json() const {
  Json all = Json::object({{"step", step}}), called = Json::array(), updated = Json::array();
  for (const ModuleStatistics& m : modules)
    called.push_back(Json::object({{"name", m.name},
                                   {"type", m.type},
                                   {"calls", m.calls},
                                   {"activations", to_json(m.activations)},
                                   {"gradients", to_json(m.gradients)}}));
  for (const ParameterStatistics& p : parameters)
    updated.push_back(Json::object({{"name", p.name},
                                    {"gradient", to_json(p.gradient)},
                                    {"weight", to_json(p.weight)},
                                    {"update_ratio", to_json(p.update_ratio())}}));
  all.set("modules", std::move(called));
  all.set("parameters", std::move(updated));
  all.set("first_non_finite", first_non_finite);
  return all;
}

std::string statistics_svg(const std::vector<StepStatistics>& history) {
  using Figures = std::vector<std::pair<std::string, double>>;
  const auto of_modules = [&](const std::string& title, ValueSummary ModuleStatistics::* which) {
    return heat_map(title, history, [which](const StepStatistics& step) {
      Figures figures;
      for (const ModuleStatistics& m : step.modules) figures.emplace_back(m.name, rms_or_infinity(m.*which));
      return figures;
    });
  };
  return heat_map_svg({of_modules("RMS of activations", &ModuleStatistics::activations),
                       of_modules("RMS of their gradients", &ModuleStatistics::gradients),
                       heat_map("RMS of updates / RMS of weights", history, [](const StepStatistics& step) {
                         Figures figures;
                         for (const ParameterStatistics& p : step.parameters)
                           figures.emplace_back(
                               p.name, p.weight.rms > 0 || p.update.non_finite > 0 ? p.update_ratio() : std::nan(""));
                         return figures;
                       })});
}

}  // namespace minima::train
