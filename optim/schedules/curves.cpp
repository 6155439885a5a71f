#include <minima/optim/schedules/schedule.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::optim::schedules {

namespace {

void expect_positive(const char* schedule, const char* what, std::int64_t value) {
  if (value <= 0) throw ValueError(str(schedule, ": ", what, " must be positive, got ", value));
}

/// The completed fraction of `steps`, at most 1.
double fraction(std::int64_t t, std::int64_t steps) {
  return static_cast<double>(std::min(t, steps)) / static_cast<double>(steps);
}

double half_cosine(double x) { return (1 + std::cos(M_PI * x)) / 2; }

}  // namespace

Schedule constant(double factor, std::int64_t steps) {
  minima::detail::check_number("constant", "factor", factor, minima::detail::not_negative);
  minima::detail::check_count("constant", "steps", steps, 0);
  return Schedule([=](std::int64_t t, double base) { return t < steps ? base * factor : base; });
}

Schedule linear(std::int64_t steps, double start, double end) {
  expect_positive("linear", "steps", steps);
  minima::detail::check_number("linear", "start", start, minima::detail::not_negative);
  minima::detail::check_number("linear", "end", end, minima::detail::not_negative);
  return Schedule([=](std::int64_t t, double base) { return base * (start + (end - start) * fraction(t, steps)); });
}

Schedule step(std::int64_t every, double g) {
  expect_positive("step", "every", every);
  minima::detail::check_number("step", "g", g, minima::detail::not_negative);
  return Schedule([=](std::int64_t t, double base) { return base * std::pow(g, static_cast<double>(t / every)); });
}

Schedule multistep(const std::vector<std::int64_t>& milestones, double g) {
  minima::detail::check_number("multistep", "g", g, minima::detail::not_negative);
  std::vector<std::int64_t> sorted = milestones;
  std::sort(sorted.begin(), sorted.end());
  return Schedule([=](std::int64_t t, double base) {
    const auto passed = std::upper_bound(sorted.begin(), sorted.end(), t) - sorted.begin();
    return base * std::pow(g, static_cast<double>(passed));
  });
}

Schedule exponential(double g) {
  minima::detail::check_number("exponential", "g", g, minima::detail::not_negative);
  return Schedule([=](std::int64_t t, double base) { return base * std::pow(g, static_cast<double>(t)); });
}

Schedule polynomial(std::int64_t steps, double power) {
  expect_positive("polynomial", "steps", steps);
  minima::detail::check_number("polynomial", "power", power, minima::detail::not_negative);
  return Schedule([=](std::int64_t t, double base) { return base * std::pow(1 - fraction(t, steps), power); });
}

Schedule cosine(std::int64_t steps, double least, bool hold) {
  expect_positive("cosine", "steps", steps);
  minima::detail::check_number("cosine", "least", least, minima::detail::not_negative);
  return Schedule([=](std::int64_t t, double base) {
    const double x = hold ? fraction(t, steps) : static_cast<double>(t) / static_cast<double>(steps);
    return least + (base - least) * half_cosine(x);
  });
}

Schedule cosine_restarts(std::int64_t period, std::int64_t growth, double least) {
  expect_positive("cosine_restarts", "period", period);
  expect_positive("cosine_restarts", "growth", growth);
  minima::detail::check_number("cosine_restarts", "least", least, minima::detail::not_negative);
  return Schedule([=](std::int64_t t, double base) {
    std::int64_t length = period;
    if (growth == 1) t %= period;
    else
      for (; t >= length; length = length > INT64_MAX / growth ? INT64_MAX : length * growth) t -= length;
    return least + (base - least) * half_cosine(static_cast<double>(t) / static_cast<double>(length));
  });
}

Schedule inverse_sqrt(std::int64_t warmup) {
  expect_positive("inverse_sqrt", "warmup", warmup);
  return Schedule([=](std::int64_t t, double base) {
    if (t < warmup) return base * fraction(t, warmup);
    return base * std::sqrt(static_cast<double>(warmup) / static_cast<double>(t));
  });
}

Schedule warmup_stable_decay(std::int64_t warmup, std::int64_t stable, std::int64_t decay, Decay shape, double least) {
  expect_positive("warmup_stable_decay", "decay", decay);
  minima::detail::check_count("warmup_stable_decay", "warmup", warmup, 0);
  minima::detail::check_count("warmup_stable_decay", "stable", stable, 0);
  minima::detail::check_number("warmup_stable_decay", "least", least, minima::detail::not_negative);
  return Schedule([=](std::int64_t t, double base) {
    if (t < warmup) return base * fraction(t, warmup);
    if (t - warmup < stable) return base;
    const double done = fraction(t - warmup - stable, decay);
    const double left = shape == Decay::linear   ? 1 - done
                        : shape == Decay::cosine ? half_cosine(done)
                                                 : 1 - std::sqrt(done);
    return base * (least + (1 - least) * left);
  });
}

Schedule warmup(std::int64_t steps, const Schedule& then, double start) {
  expect_positive("warmup", "steps", steps);
  minima::detail::check_number("warmup", "start", start, minima::detail::not_negative);
  const auto rate = [=](std::int64_t t, double base) {
    if (t >= steps) return then(t - steps, base);
    const double from = start * base;
    return from + (then(0, base) - from) * fraction(t, steps);
  };
  if (!then.has_momentum()) return Schedule(rate);
  return {rate, [=](std::int64_t t, double base) { return then.momentum(std::max<std::int64_t>(t - steps, 0), base); }};
}

Schedule sequential(const std::vector<Schedule>& parts, const std::vector<std::int64_t>& milestones) {
  if (parts.size() != milestones.size() + 1)
    throw ValueError(str("sequential: ", parts.size(), " schedules need ", parts.size() - 1, " milestones, got ",
                         milestones.size()));
  if (!std::is_sorted(milestones.begin(), milestones.end())) throw ValueError("sequential: milestones must increase");
  return Schedule([=](std::int64_t t, double base) {
    const auto i =
        static_cast<std::size_t>(std::upper_bound(milestones.begin(), milestones.end(), t) - milestones.begin());
    return parts[i](i == 0 ? t : t - milestones[i - 1], base);
  });
}

Schedule chained(const std::vector<Schedule>& parts) {
  return Schedule([=](std::int64_t t, double base) {
    for (const Schedule& part : parts) base = part(t, base);
    return base;
  });
}

Schedule lambda(const Function<double(std::int64_t step)>& factor) {
  return Schedule([=](std::int64_t t, double base) { return base * factor(t); });
}

}  // namespace minima::optim::schedules
