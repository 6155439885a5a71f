#pragma once

#include <minima/optim/schedules/schedule.h>

#include <string>
#include <vector>

namespace minima::optim {

/// What to plot: steps, initial rate, title.
struct SchedulePlot {
  std::int64_t steps = 1000;
  double lr = 1;  ///< what a group starts with
  std::string title = "Learning rate";
};

/// A picture of a schedule as an SVG document; of one with momentum, both side by side.
MINIMA_API std::string plot_svg(const Schedule& schedule, const SchedulePlot& options = {});
/// Writes it: `plot("schedule.svg", schedules::cosine(1000));`
MINIMA_API void plot(const std::string& path, const Schedule& schedule, const SchedulePlot& options = {});

/// A schedule and its name in the legend.
struct NamedSchedule {
  std::string name;
  Schedule schedule;
};
/// Several in one picture.
MINIMA_API std::string plot_svg(const std::vector<NamedSchedule>& schedules, const SchedulePlot& options = {});

}  // namespace minima::optim
