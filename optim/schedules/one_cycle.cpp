#include <minima/optim/schedules/schedule.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace minima::optim::schedules {

namespace {

/// From the end of the previous phase to `end`.
struct Phase {
  double end, lr_from, lr_to, momentum_from, momentum_to;
};

std::vector<Phase> phases_of(const OneCycleOptions& o) {
  const double top = o.max_lr, first = top / o.start_divisor, last = first / o.end_divisor;
  const double low = o.base_momentum, high = o.max_momentum;
  const auto steps = static_cast<double>(o.steps);
  const double peak = o.rising * steps - 1;
  if (o.three_phases)
    return {{peak, first, top, high, low},
            {2 * o.rising * steps - 2, top, first, low, high},
            {steps - 1, first, last, high, high}};
  return {{peak, first, top, high, low}, {steps - 1, top, last, low, high}};
}

double between(double from, double to, double fraction, bool linear) {
  return linear ? from + (to - from) * fraction : to + (from - to) * (1 + std::cos(M_PI * fraction)) / 2;
}

/// Calls f with the phase of step t and its completed fraction.
template <class F>
double at(const std::vector<Phase>& phases, std::int64_t t, const F& f) {
  double begin = 0;
  const auto now = static_cast<double>(t);
  for (const Phase& phase : phases) {
    if (now <= phase.end || &phase == &phases.back()) return f(phase, (now - begin) / (phase.end - begin));
    begin = phase.end;
  }
  return 0;
}

}  // namespace

Schedule one_cycle(const OneCycleOptions& options) {
  if (options.steps <= 0) throw ValueError(str("one_cycle: steps must be positive, got ", options.steps));
  if (!(options.rising > 0 && options.rising < 1))
    throw ValueError(str("one_cycle: rising must be in (0, 1), got ", options.rising));
  for (const auto& [name, value] : {std::pair("max_lr", options.max_lr),
                                    {"base_momentum", options.base_momentum},
                                    {"max_momentum", options.max_momentum}})
    minima::detail::check_number("one_cycle", name, value, minima::detail::not_negative);
  minima::detail::check_number("one_cycle", "start_divisor", options.start_divisor, minima::detail::positive);
  minima::detail::check_number("one_cycle", "end_divisor", options.end_divisor, minima::detail::positive);
  const OneCycleOptions o = options;
  const std::vector<Phase> phases = phases_of(o);
  const auto lr = [=](std::int64_t t, double) {
    if (t >= o.steps) throw ValueError(str("one_cycle: step ", t, ", but the cycle has ", o.steps, " steps"));
    return at(phases, t,
              [&](const Phase& p, double fraction) { return between(p.lr_from, p.lr_to, fraction, o.linear); });
  };
  if (!o.cycle_momentum) return Schedule(lr);
  return {lr, [=](std::int64_t t, double) {
            return at(phases, t, [&](const Phase& p, double fraction) {
              return between(p.momentum_from, p.momentum_to, fraction, o.linear);
            });
          }};
}

}  // namespace minima::optim::schedules
