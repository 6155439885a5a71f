#include <minima/optim/schedules/plot.h>

#include <minima/io/files/atomic_file.h>
#include <minima/io/plots/line_plot.h>
#include <minima/optim/schedules/schedule.h>
#include <minima/tensor/base/check_option.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::optim {

namespace {

template <class F>
Series series_of(const std::string& name, std::int64_t steps, const F& f) {
  Series series{.name = name};
  for (std::int64_t t = 0; t < steps; ++t) {
    series.x.push_back(static_cast<double>(t));
    series.y.push_back(f(t));
  }
  return series;
}

}  // namespace

std::string plot_svg(const std::vector<NamedSchedule>& schedules, const SchedulePlot& options) {
  minima::detail::check_count("plot_svg", "steps", options.steps, 1, 100'000'000);
  minima::detail::check_number("plot_svg", "lr", options.lr, minima::detail::not_negative);
  LinePlot lr{.title = options.title, .x_label = "step", .y_label = "learning rate", .whole_x = true};
  LinePlot momentum{.title = "Momentum", .x_label = "step", .y_label = "momentum", .whole_x = true};
  for (const auto& [name, schedule] : schedules) {
    const Schedule& s = schedule;
    lr.series.push_back(series_of(name, options.steps, [&](std::int64_t t) { return s(t, options.lr); }));
    if (s.has_momentum())
      momentum.series.push_back(series_of(name, options.steps, [&](std::int64_t t) { return s.momentum(t, 0); }));
  }
  return momentum.series.empty() ? line_plot_svg({lr}) : line_plot_svg({lr, momentum});
}

std::string plot_svg(const Schedule& schedule, const SchedulePlot& options) {
  return plot_svg({{"", schedule}}, options);
}

void plot(const std::string& path, const Schedule& schedule, const SchedulePlot& options) {
  write_file(path, plot_svg(schedule, options));
}

}  // namespace minima::optim
