#include <minima/profiler/advice/comparison.h>

#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace minima::profiler {

namespace {

constexpr double least_difference = 0.01;

double lower_quartile(std::vector<double> values) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 4);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

/// How many of the smallest and of the largest of n values the 99% interval of their median leaves out.
std::size_t outside_interval(std::size_t n) {
  if (n > 500) {  // the binomial distribution is nearly normal
    const auto count = static_cast<double>(n);
    return static_cast<std::size_t>(count / 2 - 2.58 * std::sqrt(count) / 2);
  }
  double chance = std::ldexp(1.0, -static_cast<int>(n)), sum = 0;  // of 0, 1, … heads in n tosses
  for (std::size_t k = 0; k < n; ++k) {
    sum += chance;
    if (2 * sum > 0.01) return k;
    chance *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return 0;
}

}  // namespace

Comparison compare_turns(const std::vector<double>& before, const std::vector<double>& after, double more_work) {
  if (before.empty() || before.size() != after.size())
    throw ValueError(str("compare_turns: ", before.size(), " times before and ", after.size(),
                         " after; expected as many of both, and at least one"));
  Comparison result{.before = lower_quartile(before), .after = lower_quartile(after) / more_work};
  std::vector<double> gains;
  gains.reserve(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) gains.push_back(after[i] > 0 ? more_work * before[i] / after[i] : 1);
  std::sort(gains.begin(), gains.end());
  const std::size_t outside = outside_interval(gains.size());
  // One value outside on each side is the least for which the interval has ends.
  const double low = gains[outside > 0 ? outside - 1 : 0],
               high = gains[gains.size() - std::max<std::size_t>(outside, 1)];
  result.spread = (high - low) / 2;
  result.is_clear =
      outside > 0 && (low > 1 || high < 1) && std::abs(result.gain() - 1) > std::max(result.spread, least_difference);
  return result;
}

Comparison compare_in_turns(const Function<void()>& before, const Function<void()>& after, const SecondsOf& seconds_of,
                            const TurnOptions& options) {
  constexpr const char* name = "compare_in_turns";
  constexpr std::size_t most_turns = 1'000'000;
  minima::detail::check_number(name, "seconds", options.seconds, minima::detail::from_to(0, 365. * 86400));
  if (options.min_turns < 1 || options.min_turns > most_turns)
    throw ValueError(str(name, ": min_turns must be from 1 to ", most_turns, ", got ", options.min_turns));
  minima::detail::check_number(name, "more_work", options.more_work, minima::detail::positive);
  for (const Function<void()>* warm : {&before, &after, &before, &after}) seconds_of(*warm);
  std::vector<double> befores, afters;
  double spent = 0;
  while (spent < options.seconds || befores.size() < options.min_turns) {
    const bool swapped = befores.size() % 2 == 1;
    const double first = seconds_of(swapped ? after : before), second = seconds_of(swapped ? before : after);
    befores.push_back(swapped ? second : first);
    afters.push_back(swapped ? first : second);
    spent += std::max(first + second, 1e-6);
  }
  return compare_turns(befores, afters, options.more_work);
}

}  // namespace minima::profiler
