#include <minima/train/logs/compare_runs.h>

#include <minima/io/plots/line_plot.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/train/logs/run_log.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace minima {

std::vector<double> smoothed(const std::vector<double>& values, double weight) {
  if (!(weight >= 0 && weight < 1)) throw ValueError(str("smoothed: the weight must be in [0, 1), got ", weight));
  std::vector<double> result;
  result.reserve(values.size());
  double sum = 0, weights = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      result.push_back(value);
      continue;
    }
    sum = weight * sum + (1 - weight) * value;
    weights = weight * weights + (1 - weight);
    result.push_back(sum / weights);
  }
  return result;
}

namespace {

/// The mean of the values around each one, which weigh less by this factor with each step away from it. As many count
/// on either side, so that unlike `smoothed` it does not lag behind the values, and at the ends it is the values.
std::vector<double> centred(const std::vector<double>& values, double weight) {
  constexpr double least_weight = 1e-3;
  std::vector<double> result = values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t reach = std::min(i, values.size() - 1 - i);
    double sum = values[i], total = 1, w = weight;
    for (std::size_t d = 1; d <= reach && w > least_weight; ++d, w *= weight) {
      const double pair = values[i - d] + values[i + d];
      if (!std::isfinite(pair)) continue;
      sum += w * pair;
      total += 2 * w;
    }
    result[i] = sum / total;
  }
  return result;
}

}  // namespace

std::string compare_runs_svg(const std::vector<RunLog>& runs, const std::vector<std::string>& tags,
                             const CompareRunsOptions& options) {
  detail::check_number("compare_runs_svg", "smoothing", options.smoothing, detail::from_below(0, 1));
  if (runs.empty() || tags.empty()) throw ValueError("compare_runs_svg: expected at least one run and one tag");
  std::vector<std::string> paths;
  paths.reserve(runs.size());
  for (const RunLog& run : runs) paths.push_back(run.path);
  const std::vector<std::string> names = short_names(paths);
  std::vector<LinePlot> plots;
  for (const std::string& tag : tags) {
    LinePlot& plot = plots.emplace_back();
    plot.title = plots.size() == 1 && !options.title.empty() ? options.title : tag;
    plot.x_label = "step";
    plot.log_y = options.log_y;
    if (options.smoothing != 0) plot.note = "pale: the values; line: their moving mean";
    for (std::size_t i = 0; i < runs.size(); ++i) {
      Series curve = curve_of(runs[i], tag);
      curve.name = names[i];
      if (options.smoothing != 0) {
        plot.series.push_back(curve);
        plot.series.back().pale = true;
        curve.y = centred(curve.y, options.smoothing);
      }
      plot.series.push_back(std::move(curve));
    }
  }
  return line_plot_svg(plots);
}

}  // namespace minima
