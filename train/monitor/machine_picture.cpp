#include <minima/train/monitor/machine_picture.h>

#include <minima/io/plots/line_plot.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/nvml.h>
#include <minima/train/monitor/machine_sample.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace minima::train {

namespace {

/// A line over the samples; `value` of a sample is negative where it is unknown.
template <class F>
void add(LinePlot& plot, const std::string& name, const std::vector<MachineSample>& history, const F& value) {
  Series series{.name = name};
  bool is_known = false;
  for (const MachineSample& sample : history) {
    const double y = value(sample);
    is_known |= y >= 0;
    series.x.push_back(sample.seconds);
    series.y.push_back(y >= 0 ? y : NAN);
  }
  if (is_known) plot.series.push_back(std::move(series));
}

double gib(double bytes) { return bytes / (1 << 30); }

}  // namespace

std::string machine_svg(const std::vector<MachineSample>& history) {
  LinePlot load{.title = "Load", .x_label = "seconds", .y_label = "% of the cores", .y_range = {0, 100}},
      memory{.title = "Memory in use", .x_label = "seconds", .y_label = "GiB"};
  add(load, "all programs", history, [](const auto& sample) { return 100 * sample.processor; });
  add(load, "this run", history,
      [](const auto& sample) { return sample.cores > 0 ? 100 * sample.process / sample.cores : -1; });
  add(memory, "process", history, [](const auto& sample) { return gib(static_cast<double>(sample.resident)); });
  std::size_t gpus = 0;
  for (const MachineSample& sample : history) gpus = std::max(gpus, sample.gpus.size());
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    const auto of_gpu = [gpu](const auto& figure) {
      return [gpu, figure](const MachineSample& sample) {
        return gpu < sample.gpus.size() ? figure(sample.gpus[gpu]) : -1.0;
      };
    };
    const std::string name = str("GPU ", gpu);
    add(load, name, history, of_gpu([](const cuda::Sensors& s) { return static_cast<double>(s.utilization); }));
    add(memory, name, history, of_gpu([](const cuda::Sensors& s) { return gib(static_cast<double>(s.memory_used)); }));
  }
  return line_plot_svg({load, memory}, 500, 300);
}

}  // namespace minima::train
