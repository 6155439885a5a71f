#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/function.h>

#include <cstdint>
#include <vector>

namespace minima::optim {

/// A learning rate as a function of the step, counted from 0, and of a group's base rate. A plain value: call it,
/// combine it, plot it (`plot_svg`) or pass it to a Scheduler.
///
///     const Schedule schedule = schedules::warmup(500, schedules::cosine(10000));
///     double lr = schedule(250, 3e-4);
///     Scheduler scheduler(optimizer, schedule);
class MINIMA_API Schedule {
 public:
  using Rate = Function<double(std::int64_t step, double base)>;

  Schedule(Rate lr) : lr_(std::move(lr)) {}
  /// Also schedules the momentum (β₁).
  Schedule(Rate lr, Rate momentum) : lr_(std::move(lr)), momentum_(std::move(momentum)) {}

  double operator()(std::int64_t step, double base = 1) const { return lr_(step, base); }
  bool has_momentum() const { return static_cast<bool>(momentum_); }
  double momentum(std::int64_t step, double base) const { return momentum_(step, base); }

 private:
  Rate lr_, momentum_;
};

/// Each comment gives the rate at step t for the base rate γ, and the equivalent PyTorch class in parentheses. They
/// throw ValueError for numbers of steps below 1, and for factors and rates that are negative or not finite.
namespace schedules {

/// γ·factor for the first `steps` steps, then γ (ConstantLR). The defaults return γ.
MINIMA_API Schedule constant(double factor = 1, std::int64_t steps = 0);
/// γ·factor, with the factor going linearly from `start` to `end` over `steps` (LinearLR).
MINIMA_API Schedule linear(std::int64_t steps, double start = 1. / 3, double end = 1);
/// γ·g^⌊t/every⌋ (StepLR).
MINIMA_API Schedule step(std::int64_t every, double g = 0.1);
/// γ·gⁿ after n milestones (MultiStepLR).
MINIMA_API Schedule multistep(const std::vector<std::int64_t>& milestones, double g = 0.1);
/// γ·gᵗ (ExponentialLR).
MINIMA_API Schedule exponential(double g);
/// γ·(1 - min(t, steps)/steps)^power (PolynomialLR).
MINIMA_API Schedule polynomial(std::int64_t steps, double power = 1);
/// m + (γ - m)·(1 + cos(πt/steps))/2 with minimum rate m (CosineAnnealingLR; Loshchilov & Hutter, arXiv:1608.03983).
/// After `steps` it rises again, as in PyTorch; with `hold` it stays at m.
MINIMA_API Schedule cosine(std::int64_t steps, double least = 0, bool hold = false);
/// Restarts the cosine after each period; a period is `growth` times as long as the previous one
/// (CosineAnnealingWarmRestarts).
MINIMA_API Schedule cosine_restarts(std::int64_t period, std::int64_t growth = 1, double least = 0);

struct OneCycleOptions {
  double max_lr;
  std::int64_t steps;
  double rising = 0.3;  ///< fraction of the steps in which the rate rises, in (0, 1)
  bool linear = false;  ///< linear instead of cosine
  bool cycle_momentum = true;
  double base_momentum = 0.85, max_momentum = 0.95;
  double start_divisor = 25;  ///< positive: the first rate is max_lr / start_divisor
  double end_divisor = 1e4;   ///< positive: the last rate is the first / end_divisor
  bool three_phases = false;  ///< fall to the first rate in as many steps as it rose, then to the last
};
/// One rise and fall of the rate, with the momentum inverted (OneCycleLR; Smith & Topin, arXiv:1708.07120). Ignores γ.
/// Throws ValueError after the last step.
MINIMA_API Schedule one_cycle(const OneCycleOptions& options);

/// γ·√(warmup/max(t, warmup)) after a linear warm-up from 0: the schedule of "Attention is all you need"
/// (arXiv:1706.03762), with its peak at γ.
MINIMA_API Schedule inverse_sqrt(std::int64_t warmup);

/// Shape of the decay phase of `warmup_stable_decay`.
enum class Decay { linear, cosine, square_root };
/// Warm-up, stable phase, decay to `least`·γ (WSD; Hu et al., arXiv:2404.06395). `square_root` is 1 - √ of the
/// completed fraction of the decay (Hägele et al., arXiv:2405.18392).
MINIMA_API Schedule warmup_stable_decay(std::int64_t warmup, std::int64_t stable, std::int64_t decay,
                                        Decay shape = Decay::square_root, double least = 0);

/// Linear warm-up over `steps` from start·γ to the first rate of `then`, whose steps count from there.
MINIMA_API Schedule warmup(std::int64_t steps, const Schedule& then, double start = 0);
/// Runs one schedule after another: the first until milestones[0], and so on. Each counts from its milestone
/// (SequentialLR).
MINIMA_API Schedule sequential(const std::vector<Schedule>& parts, const std::vector<std::int64_t>& milestones);
/// Passes each schedule's rate to the next as its γ (ChainedScheduler, for schedules that multiply).
MINIMA_API Schedule chained(const std::vector<Schedule>& parts);
/// γ·factor(t) (LambdaLR).
MINIMA_API Schedule lambda(const Function<double(std::int64_t step)>& factor);

}  // namespace schedules

}  // namespace minima::optim
