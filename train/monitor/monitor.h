#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/function.h>
#include <minima/train/monitor/alerts.h>
#include <minima/train/monitor/machine_sample.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace minima {
class EventWriter;
class JsonlWriter;
}  // namespace minima

namespace minima::train {

struct MonitorOptions {
  std::string name = "training";  ///< for minima-top and Prometheus
  Device device = {};             ///< that the run trains on
  std::int64_t steps = 0;         ///< in all, if known
  double interval = 1;            ///< seconds between samples; more than a year counts as a year
  std::size_t history = 3600;     ///< samples kept
  SamplerOptions sampler = {};
  AlertLimits limits = {};
  int prometheus_port = -1;        ///< serves the figures at http://127.0.0.1:PORT/metrics; 0 takes a free port
  bool publish = true;             ///< leave a status file for minima-top
  std::string status_folder = {};  ///< for it; empty: train::status_folder()
  /// Called with each alert, from the monitor's thread or from step(), loss(); by default it is printed to standard
  /// error, as is what this throws. It may call the monitor, but not destroy it.
  Function<void(const std::string& text)> on_alert = {};
};

/// Samples the machine in the background while a training runs:
///
///     train::Monitor monitor({.name = "resnet", .steps = steps});
///     for (auto& [x, y] : loader) {
///       …
///       monitor.step(n);
///       progress.advance(x.size(0), progress.is_due() ? monitor.line() : "");
///     }
///
/// It notices throttling, errors of a GPU's memory, swapping, a full disk, a slow step and an outlier of the loss, each
/// once. In a forked child, which lacks its threads, calls throw an Error. A step costs 0.3 µs, a sample with its
/// status file 0.6 ms of another core each second.
class MINIMA_API Monitor {
 public:
  explicit Monitor(MonitorOptions options = {});
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  /// Ends step number `step`.
  void step(std::int64_t step);
  /// The loss of a step, wherever the program has read it.
  void loss(std::int64_t step, double loss);
  MachineSample latest() const;
  std::vector<MachineSample> history() const;
  /// All alerts so far.
  std::vector<std::string> alerts() const;
  /// Writes the samples and alerts since the last call as scalars and texts, from the thread that owns the writer: call
  /// it after each step. Without new ones it does nothing.
  void log(EventWriter& events);
  /// The same as rows: {"step", "machine/cpu_busy", …} and {"step", "machine/alert"}.
  void log(JsonlWriter& rows);
  /// The machine's state in a few words, for a progress line.
  std::string line() const;
  /// The figures in Prometheus' text format.
  std::string metrics() const;
  /// The port of Prometheus' figures; -1 if they are not served.
  int port() const;

 private:
  class Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minima::train
