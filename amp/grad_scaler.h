#pragma once

#include <minima/io/state.h>
#include <minima/optim/optimizer.h>

#include <vector>

namespace minima::amp {

struct GradScalerOptions {
  double init_scale = 65536;
  double growth_factor = 2;
  double backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;  ///< steps without infinities before the scale grows
  bool enabled = true;                  ///< false: everything passes through, for programs with a flag
};

/// Scales the loss so that small gradients survive float16, and takes the scale out again (Micikevicius et al.,
/// arXiv:1710.03740; the semantics are torch.amp.GradScaler's):
///
///     amp::GradScaler scaler;
///     …
///     scaler.scale(loss).backward();
///     scaler.unscale(optimizer);                          // only if gradients are looked at in between
///     optim::clip_grad_norm_(net.parameters(), 1.0);
///     optim::StepResult result = scaler.step(optimizer);  // left out where a gradient is infinite or NaN
///     scaler.update();                                    // once, after the steps of all optimizers
///
/// A step with an infinity halves the scale, 2,000 in a row without one double it, never to infinity. Scale and
/// counters live where the gradients are and a step is left out there, so nothing waits for the device. To accumulate
/// gradients, scale each part's loss and call step and update at the end. bfloat16 needs no scaler. After an exception
/// between unscale and update, `scaler.update(scaler.get_scale())` starts over.
class MINIMA_API GradScaler {
 public:
  explicit GradScaler(const GradScalerOptions& options = {});
  GradScaler(const GradScaler&) = delete;
  GradScaler& operator=(const GradScaler&) = delete;

  /// loss · scale, in float32 at least: a float16 loss could not hold it.
  Tensor scale(const Tensor& loss);
  /// Divides the gradients of this optimizer's parameters by the scale, in place. Once between two updates; throws
  /// ValueError for a second time, after step(), or where a gradient is float16 (let parameters stay float32).
  void unscale(optim::Optimizer& optimizer);
  /// The optimizer's step with unscaled gradients; skipped where one is not finite. Gradients that were not unscaled
  /// before stay scaled. Throws ValueError for a second time before update(), or if no parameter has a gradient.
  optim::StepResult step(optim::Optimizer& optimizer);
  /// Makes the scale smaller or larger by what the steps since the last update found.
  void update();
  /// Sets it instead.
  void update(double new_scale);

  bool is_enabled() const { return options_.enabled; }
  const GradScalerOptions& options() const { return options_; }
  /// These wait for the device.
  double get_scale() const;
  std::int64_t growth_tracker() const;

  State state_dict() const;
  void load_state_dict(const State& state);

 private:
  enum class Stage { ready, unscaled, stepped };
  struct Entry {
    const optim::Optimizer* optimizer;
    Stage stage = Stage::ready;
    Tensor found_inf;
  };
  Entry& entry_of(const optim::Optimizer& optimizer);
  void start(Device device);
  void check(Entry& entry, optim::Optimizer& optimizer, bool unscale);

  GradScalerOptions options_;
  // On the device of the first loss; undefined before.
  Tensor scale_;    ///< float32
  Tensor tracker_;  ///< int32: steps since the last change
  Tensor inverse_;  ///< float64
  double first_scale_;
  std::int64_t first_tracker_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace minima::amp
