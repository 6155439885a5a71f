#pragma once

// --tensorboard of the examples.

#include "run_options.h"

#include <minima/minima.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

/// Writes a run's curves, hyper-parameters and results for TensorBoard, on the first rank, if that was asked for.
class RunEvents {
 public:
  /// `metrics` are the scalars by which TensorBoard compares runs.
  RunEvents(const RunOptions& options, bool is_first, const std::vector<minima::Json::Member>& hyper_parameters,
            const std::vector<std::string>& metrics) {
    if (!is_first || options.tensorboard.empty()) return;
    writer_.emplace(options.tensorboard);
    writer_->hyper_parameters(hyper_parameters, metrics);
  }
  /// The loss of every tenth step: reading it synchronises with the GPU. `step` counts from 0.
  void loss(std::int64_t step, const minima::Tensor& loss) {
    if (writer_ && step % 10 == 0) writer_->scalar("train/loss", loss.item<double>(), step);
  }
  void scalar(const std::string& tag, double value, std::int64_t step) {
    if (writer_) writer_->scalar(tag, value, step);
  }
  void text(const std::string& tag, const std::string& text, std::int64_t step) {
    if (writer_) writer_->text(tag, text, step);
  }
  /// `make()` returns the images; it is called only if they are wanted.
  template <class Make>
  void image(const std::string& tag, std::int64_t step, Make make) {
    if (writer_) writer_->image(tag, make(), step);
  }
  /// The distribution of every parameter.
  template <class Network>
  void parameters(Network& network, std::int64_t step) {
    if (!writer_) return;
    for (const auto& [name, parameter] : network.named_parameters()) writer_->histogram(name, parameter, step);
  }
  /// Writes what a Monitor or NetworkStatistics has to log.
  template <class Source>
  void log(Source& source) {
    if (writer_) source.log(*writer_);
  }
  /// Ends the run and says where its events are.
  void finish(bool success) {
    if (!writer_) return;
    writer_->end_session(success);
    std::printf("events: %s\n", writer_->path().c_str());
    writer_.reset();
  }

 private:
  std::optional<minima::EventWriter> writer_;
};
