#pragma once

#include <minima/nn/module/module_base.h>
#include <minima/tensor/base/api.h>
#include <minima/train/statistics/step_statistics.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace minima {
class EventWriter;
}

namespace minima::train {

struct NetworkStatisticsOptions {
  std::int64_t every = 100;    ///< measures the steps whose number this divides
  std::size_t history = 1000;  ///< steps kept; older ones are dropped
  /// Modules to leave as they are, by name or its end from a dot on: one of a fused form that saves much memory, as a
  /// language model's output layer does, whose logits its loss need not store.
  std::vector<std::string> skip = {};
};

/// Measures activations, gradients and updates of a network, module by module and parameter by parameter, every so many
/// steps:
///
///     train::NetworkStatistics statistics(net, {.every = 100});
///     for (std::int64_t step = 0; step < steps; ++step) {
///       statistics.begin_step(step);
///       optimizer.zero_grad();
///       loss_of(net(x), y).backward();
///       statistics.before_update();
///       optimizer.step();
///       if (statistics.end_step()) statistics.log(events),
///       std::puts(statistics.history().back().short_text().c_str());
///     }
///     write_file("statistics.svg", train::statistics_svg(statistics.history()));
///
/// A step that is not measured costs a comparison. A measured one has a hook on every module. Modules that fuse
/// operators with those of others are then called one by one, so its result may differ in the last bits, and it takes
/// more time and memory, a copy of the parameters included. It may have several forward and backward passes, whose
/// activations count together; what checkpointing recomputes does not count again. Values are taken in the dtype in
/// which autocast computes them.
///
/// With several processes each measures its own rows, and of sharded parameters its own part. Its activations have the
/// gradients of its own loss: where that is a mean over its rows, they are as many times those of the whole batch's
/// mean as there are processes. A replayed CUDA graph runs no hooks: call a measured step by
/// CapturedStep::call_eagerly().
class MINIMA_API NetworkStatistics {
 public:
  /// The network must outlive this. Throws ValueError for options out of range, and for a name to skip that no module
  /// has.
  explicit NetworkStatistics(const nn::ModuleBase& network, const NetworkStatisticsOptions& options = {});
  NetworkStatistics(const NetworkStatistics&) = delete;
  NetworkStatistics& operator=(const NetworkStatistics&) = delete;
  ~NetworkStatistics();

  /// Before the step's first forward pass. Measures the step if `every` divides its number, and forgets what an
  /// exception left of another.
  void begin_step(std::int64_t step);
  /// Whether the step is measured.
  bool is_measuring() const { return measurement_ != nullptr; }
  /// Between the step's last backward pass and the optimizer. All gradients are times `gradient_scale`: where a loss
  /// scaler has not unscaled them yet, its reciprocal, and with optim::Accumulation that of its count.
  void before_update(double gradient_scale = 1);
  /// After the optimizer. Reads the figures, which synchronises with the device, and returns true if the step was
  /// measured. Throws ValueError if before_update() was not called.
  bool end_step();

  /// The measured steps, the last one at the end.
  const std::vector<StepStatistics>& history() const { return history_; }
  /// Writes the last one's figures as scalars: `activations_rms/NAME`, `activations_max/NAME`, `activations_zeros/NAME`
  /// and `gradients_rms/NAME` of modules, `parameter_gradients_rms/NAME` and `update_ratio/NAME` of parameters, and
  /// `statistics/non_finite`.
  void log(EventWriter& events) const;

 private:
  struct Measurement;

  const nn::ModuleBase* network_;
  NetworkStatisticsOptions options_;
  std::shared_ptr<Measurement> measurement_;  ///< of the step under way; graphs' hooks may hold it longer
  std::vector<StepStatistics> history_;
};

}  // namespace minima::train
