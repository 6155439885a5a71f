#pragma once

#include <minima/optim/schedules/schedule.h>

#include <string>
#include <vector>

namespace minima::optim {

/// Describes what to plot: steps, initial rate, title.
struct SchedulePlot {
  std::int64_t steps = 1000;  ///< at most 10⁸
  double lr = 1;              ///< base learning rate
  std::string title = "Learning rate";
};

/// Plots a schedule as an SVG document; if it has a momentum, in a second plot next to the first.
MINIMA_API std::string plot_svg(const Schedule& schedule, const SchedulePlot& options = {});
/// Writes the plot to a file: `plot("schedule.svg", schedules::cosine(1000));`
MINIMA_API void plot(const std::string& path, const Schedule& schedule, const SchedulePlot& options = {});

/// A schedule and its name in the legend.
struct NamedSchedule {
  std::string name;
  Schedule schedule;
};
/// Plots several schedules together.
MINIMA_API std::string plot_svg(const std::vector<NamedSchedule>& schedules, const SchedulePlot& options = {});

}  // namespace minima::optim
