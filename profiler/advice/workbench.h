#pragma once

// Includes what rules are written with.
// IWYU pragma: begin_exports
#include <minima/autograd/mode.h>
#include <minima/nn/module/module.h>
#include <minima/profiler/advice/advice.h>
#include <minima/profiler/advice/comparison.h>
#include <minima/profiler/advice/survey.h>
#include <minima/profiler/report.h>
#include <minima/profiler/roofs/roof.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>
// IWYU pragma: end_exports

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

using Batch = std::vector<Tensor>;

/// Gives rules a step, what is known of it, and a way to try another one.
class Workbench {
 public:
  Workbench(nn::ModuleBase& network, const Function<void(const Batch&)>& step, const Batch& batch,
            const AdviceOptions& options);

  nn::ModuleBase& network() const { return network_; }
  const Batch& batch() const { return batch_; }
  const AdviceOptions& options() const { return options_; }
  /// The network's, or the batch's if the network has no parameters.
  Device device() const { return device_; }
  void step(const Batch& batch) const { step_(batch); }
  void step() const { step_(batch_); }
  static double samples(const Batch& batch);

  /// Reports some steps on the batch, which the first call records.
  const Report& report();
  /// The operators of a step, likewise.
  const std::vector<SurveyedCall>& calls();
  /// The share of the step's time in operators for which `of(name)`: as measured, or at the roof with another
  /// stopwatch.
  double share(bool (*of)(const std::string& op));

  double seconds(const Function<void()>& call, Device device) const;
  double seconds(const Function<void()>& call) const { return seconds(call, device_); }
  Comparison compare(const Function<void()>& before, const Function<void()>& after, double more_work = 1) const;

  /// Compares the step with a changed one. An error of the changed step is its result; one of the unchanged step is the
  /// caller's.
  void attempt(Trial trial, const Function<void()>& changed) {
    attempt(std::move(trial), [this] { step(); }, changed);
  }
  void attempt(Trial trial, const Function<void()>& unchanged, const Function<void()>& changed);
  /// The comparison's figures, per sample of the batch.
  void fill(Trial& trial, const Comparison& comparison) const;
  void add(Trial trial) { advice_.trials.push_back(std::move(trial)); }
  Advice take() { return std::move(advice_); }

 private:
  nn::ModuleBase& network_;
  const Function<void(const Batch&)>& step_;
  const Batch& batch_;
  AdviceOptions options_;
  Device device_;
  std::optional<Report> report_;
  std::optional<std::vector<SurveyedCall>> calls_;
  Advice advice_;
};

/// Parameters, buffers and gradients, which its destruction restores: their memory, and what was in it.
class SavedState {
 public:
  explicit SavedState(nn::ModuleBase& network);
  SavedState(const SavedState&) = delete;
  ~SavedState();

 private:
  struct Value {
    Tensor tensor, memory, saved, grad;
  };
  std::vector<Value> values_;
};

/// A network whose parameters and buffers change places with others. Gradients go with each change.
class OtherValues {
 public:
  void add(const Tensor& tensor, const Tensor& other) { values_.push_back({tensor, tensor.detach(), other}); }
  /// Puts the others in place, or what was there before.
  void use(bool others) const {
    for (const Value& value : values_) {
      if (value.tensor.requires_grad()) value.tensor.set_grad(Tensor());
      value.tensor.set_data(others ? value.other : value.own);
    }
  }

 private:
  struct Value {
    Tensor tensor, own, other;
  };
  std::vector<Value> values_;
};

/// The gain of a step if `share` of its time becomes `faster` times as fast (Amdahl).
inline double gain_of_part(double share, double faster) { return 1 / (1 - share + share / faster); }

/// Whether an operator is a product of matrices or a convolution.
bool is_product(const std::string& op);
bool is_convolution(const std::string& op);

}  // namespace minima::profiler
