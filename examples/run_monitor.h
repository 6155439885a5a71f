#pragma once

// --monitor and --prometheus of the examples.

#include "run_events.h"
#include "run_options.h"

#include <minima/minima.h>
#include <minima/train/monitor/machine_picture.h>
#include <minima/train/monitor/monitor.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

/// Watches the machine on the first rank, if that was asked for.
class RunMonitor {
 public:
  RunMonitor(const char* program, const RunOptions& options, minima::Device device, std::int64_t steps, bool is_first) {
    if (!is_first || (!options.monitor && options.prometheus < 0)) return;
    minima::train::MonitorOptions given;
    given.name = program;
    given.device = device;
    given.steps = steps;
    given.prometheus_port = options.prometheus;
    monitor_.emplace(std::move(given));
    if (monitor_->port() >= 0) std::fprintf(stderr, "figures: http://127.0.0.1:%d/metrics\n", monitor_->port());
  }
  void step(std::int64_t number, RunEvents& events) {
    if (!monitor_) return;
    monitor_->step(number);
    events.log(*monitor_);
  }
  /// Returns what the machine did so far, for profile.html.
  std::vector<std::string> pictures() const {
    if (!monitor_) return {};
    return {minima::train::machine_svg(monitor_->history())};
  }
  /// The loss as a progress line shows it, and the machine's state.
  std::string text(std::int64_t number, double loss, const std::string& shown) {
    if (!monitor_) return shown;
    monitor_->loss(number, loss);
    return shown + ", " + monitor_->line();
  }

 private:
  std::optional<minima::train::Monitor> monitor_;
};
