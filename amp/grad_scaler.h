#pragma once

#include <minima/io/state.h>
#include <minima/optim/optimizer.h>

#include <vector>

namespace minima::amp {

struct GradScalerOptions {
  double init_scale = 65536;
  double growth_factor = 2;
  double backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;  ///< finite steps in a row before the scale grows
  bool enabled = true;                  ///< false: every call passes through
};

/// Loss scaling, so that small gradients do not underflow in float16 (Micikevicius et al., arXiv:1710.03740), with the
/// semantics of torch.amp.GradScaler:
///
///     amp::GradScaler scaler;
///     …
///     scaler.scale(loss).backward();
///     scaler.unscale(optimizer);                          // only if you read or change gradients
///     optim::clip_grad_norm_(net.parameters(), 1.0);
///     optim::StepResult result = scaler.step(optimizer);  // skipped if a gradient is infinite or NaN
///     scaler.update();                                    // once, after all optimizers' steps
///
/// A step with an infinity or NaN halves the scale; 2,000 finite steps in a row double it, as long as it stays finite.
/// Scale and counters are on the device and steps are skipped there, so that nothing synchronises. For gradient
/// accumulation, scale the loss of each batch, and call step and update once per optimizer step. bfloat16 needs no
/// scaler. After an exception between unscale and update, call `scaler.update(scaler.get_scale())` to start over.
class MINIMA_API GradScaler {
 public:
  explicit GradScaler(const GradScalerOptions& options = {});
  GradScaler(const GradScaler&) = delete;
  GradScaler& operator=(const GradScaler&) = delete;

  /// loss · scale. A half-precision loss becomes float32, since float16 would overflow.
  Tensor scale(const Tensor& loss);
  /// Divides the gradients of this optimizer's parameters by the scale, in place. Throws ValueError if called twice
  /// between updates, after step(), or for float16 gradients (keep the parameters in float32).
  void unscale(optim::Optimizer& optimizer);
  /// Runs the optimizer's step with unscaled gradients, or skips it if one is not finite. If unscale() was not called,
  /// `.grad` stays scaled. Throws ValueError if called twice between updates, or if no parameter has a gradient.
  /// `also`: further instructions, such as Accumulation::scaled_step().
  optim::StepResult step(optim::Optimizer& optimizer, const optim::ScaledStep& also = {});
  /// Adjusts the scale according to the steps since the last update.
  void update();
  /// Sets the scale.
  void update(double new_scale);

  bool is_enabled() const { return options_.enabled; }
  const GradScalerOptions& options() const { return options_; }
  /// Both synchronise with the device.
  double get_scale() const;
  std::int64_t growth_tracker() const;

  State state_dict() const;
  void load_state_dict(const State& state);

 private:
  enum class Stage { ready, unscaled, stepped };
  struct OptimizerState {
    const optim::Optimizer* optimizer;
    Stage stage = Stage::ready;
    Tensor found_inf;
  };
  OptimizerState& state_of(const optim::Optimizer& optimizer);
  void start(Device device);
  void check(OptimizerState& state, optim::Optimizer& optimizer, bool unscale);

  GradScalerOptions options_;
  // On the device of the first loss or gradient; undefined before.
  Tensor scale_;    ///< float32
  Tensor tracker_;  ///< int32: finite steps since the last change
  Tensor inverse_;  ///< float64
  double first_scale_;
  std::int64_t first_tracker_ = 0;
  std::vector<OptimizerState> optimizers_;
};

}  // namespace minima::amp
