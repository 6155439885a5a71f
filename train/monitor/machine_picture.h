#pragma once

#include <minima/tensor/base/api.h>
#include <minima/train/monitor/machine_sample.h>

#include <string>
#include <vector>

namespace minima::train {

/// A Monitor's history as SVG: how busy processor and GPUs were, with this run's share of it, and how much memory was
/// in use, over time.
///
///     write_file("machine.svg", train::machine_svg(monitor.history()));
MINIMA_API std::string machine_svg(const std::vector<MachineSample>& history);

}  // namespace minima::train
