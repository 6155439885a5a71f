#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/function.h>

#include <cstdint>
#include <vector>

namespace minima::optim {

/// A learning rate as a function of the step and of the rate that a group started with: a plain value, to be called,
/// combined, plotted (`plot_svg`) or given to a Scheduler. t counts from 0.
///
///     const Schedule schedule = schedules::warmup(500, schedules::cosine(10000));
///     double lr = schedule(250, 3e-4);
///     Scheduler scheduler(optimizer, schedule);
class MINIMA_API Schedule {
 public:
  using Rate = Function<double(std::int64_t step, double base)>;

  Schedule(Rate lr) : lr_(std::move(lr)) {}
  /// One that moves momentum (β₁) too.
  Schedule(Rate lr, Rate momentum) : lr_(std::move(lr)), momentum_(std::move(momentum)) {}

  double operator()(std::int64_t step, double base = 1) const { return lr_(step, base); }
  bool has_momentum() const { return static_cast<bool>(momentum_); }
  double momentum(std::int64_t step, double base) const { return momentum_(step, base); }

 private:
  Rate lr_, momentum_;
};

/// What each returns at step t for the base rate γ; PyTorch's class of the same behaviour in parentheses.
namespace schedules {

/// γ·factor for the first `steps` steps, then γ (ConstantLR). The defaults leave γ alone.
MINIMA_API Schedule constant(double factor = 1, std::int64_t steps = 0);
/// γ·factor, from `start` to `end` in a straight line over `steps` (LinearLR).
MINIMA_API Schedule linear(std::int64_t steps, double start = 1. / 3, double end = 1);
/// γ·g^⌊t/every⌋ (StepLR).
MINIMA_API Schedule step(std::int64_t every, double g = 0.1);
/// γ·g^(how many milestones t has reached) (MultiStepLR).
MINIMA_API Schedule multistep(const std::vector<std::int64_t>& milestones, double g = 0.1);
/// γ·gᵗ (ExponentialLR).
MINIMA_API Schedule exponential(double g);
/// γ·(1 - min(t, steps)/steps)^power (PolynomialLR).
MINIMA_API Schedule polynomial(std::int64_t steps, double power = 1);
/// m + (γ - m)·(1 + cos(πt/steps))/2 with the least rate m (CosineAnnealingLR; Loshchilov & Hutter, arXiv:1608.03983).
/// Past `steps` it rises again, as PyTorch's does; `hold` stays at m.
MINIMA_API Schedule cosine(std::int64_t steps, double least = 0, bool hold = false);
/// The same in periods, each `growth` times as long as the one before (CosineAnnealingWarmRestarts).
MINIMA_API Schedule cosine_restarts(std::int64_t period, std::int64_t growth = 1, double least = 0);

struct OneCycleOptions {
  double max_lr;
  std::int64_t steps;
  double rising = 0.3;  ///< share of the steps in which the rate goes up
  bool linear = false;  ///< straight lines instead of cosines
  bool cycle_momentum = true;
  double base_momentum = 0.85, max_momentum = 0.95;
  double start_divisor = 25;  ///< the first rate is max_lr / this
  double end_divisor = 1e4;   ///< the last one is the first / this
  bool three_phases = false;  ///< down to the first rate as long as it went up, then to the last
};
/// Up and down once, momentum the other way round (OneCycleLR; Smith & Topin, arXiv:1708.07120). Ignores γ. Throws
/// ValueError past the last step.
MINIMA_API Schedule one_cycle(const OneCycleOptions& options);

/// γ·√(warmup/max(t, warmup)), reached in a straight line from 0: the rate of "Attention is all you need"
/// (arXiv:1706.03762) with its peak at γ.
MINIMA_API Schedule inverse_sqrt(std::int64_t warmup);

/// Shape of the decay phase of `warmup_stable_decay`.
enum class Decay { linear, cosine, square_root };
/// Warm-up, stable phase, decay to `least`·γ (WSD; Hu et al., arXiv:2404.06395). `square_root` is 1 - √ of the share of
/// the decay that is done (Hägele et al., arXiv:2405.18392).
MINIMA_API Schedule warmup_stable_decay(std::int64_t warmup, std::int64_t stable, std::int64_t decay,
                                        Decay shape = Decay::square_root, double least = 0);

/// From start·γ in a straight line over `steps` to where `then` begins, which counts from there.
MINIMA_API Schedule warmup(std::int64_t steps, const Schedule& then, double start = 0);
/// Each counts from its milestone on: the first until milestones[0], and so on (SequentialLR).
MINIMA_API Schedule sequential(const std::vector<Schedule>& parts, const std::vector<std::int64_t>& milestones);
/// Each takes the rate of the one before it for its γ (ChainedScheduler, for those that multiply).
MINIMA_API Schedule chained(const std::vector<Schedule>& parts);
/// γ·factor(t) (LambdaLR).
MINIMA_API Schedule lambda(const Function<double(std::int64_t step)>& factor);

}  // namespace schedules

}  // namespace minima::optim
