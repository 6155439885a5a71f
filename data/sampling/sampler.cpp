#include <minima/data/sampling/sampler.h>

#include <minima/data/sampling/random.h>

#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace minima::data {

namespace {

constexpr std::uint64_t weighted = 0x7765696768746564;  // separates these draws from shuffling's

using Order = std::vector<std::int64_t>;

/// Inverts the cumulative sums by binary search.
Order draw_with_replacement(const std::vector<double>& sums, std::int64_t count, RandomStream random) {
  Order order;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = std::upper_bound(sums.begin(), sums.end(), random.uniform() * sums.back());
    // Rounding may reach the last sum itself; indices of weight 0 repeat a sum and are never found first.
    order.push_back(std::min(at, std::lower_bound(sums.begin(), sums.end(), sums.back())) - sums.begin());
  }
  return order;
}

/// The indices of the `count` smallest exponential variates with the weights as rates (Efraimidis and Spirakis 2006).
Order draw_without_replacement(const std::vector<double>& weights, std::int64_t count, RandomStream random) {
  std::vector<std::pair<double, std::int64_t>> clocks;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double time = -std::log1p(-random.uniform()) / weights[i];
    if (weights[i] > 0) clocks.emplace_back(time, static_cast<std::int64_t>(i));
  }
  std::partial_sort(clocks.begin(), clocks.begin() + count, clocks.end());
  Order order;
  for (std::int64_t i = 0; i < count; ++i) order.push_back(clocks[static_cast<std::size_t>(i)].second);
  return order;
}

}  // namespace

Sampler::Function::~Function() = default;

Sampler sequential_sampler(std::int64_t count) {
  minima::detail::check_count("sequential_sampler", "count", count, 0);
  return [count](std::uint64_t) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    return order;
  };
}

Sampler shuffling_sampler(std::int64_t count, std::uint64_t seed) {
  minima::detail::check_count("shuffling_sampler", "count", count, 0);
  return [=](std::uint64_t epoch) { return permutation(count, seed, epoch); };
}

Sampler weighted_sampler(const std::vector<double>& weights, std::int64_t count, std::uint64_t seed, bool replacement) {
  if (count < 0) throw ValueError(str("weighted_sampler: count must not be negative, got ", count));
  std::vector<double> sums;
  std::int64_t positive = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
      throw ValueError(str("weighted_sampler: weight ", i, " is ", weights[i]));
    sums.push_back((sums.empty() ? 0 : sums.back()) + weights[i]);
    positive += weights[i] > 0;
  }
  if (positive == 0) throw ValueError("weighted_sampler: no weight is above zero");
  if (!replacement && positive < count)
    throw ValueError(str("weighted_sampler: ", count, " draws without replacement from ", positive, " indices"));
  return [weights, sums, count, seed, replacement](std::uint64_t epoch) {
    const RandomStream random(derived_key(seed, epoch, weighted));
    return replacement ? draw_with_replacement(sums, count, random) : draw_without_replacement(weights, count, random);
  };
}

}  // namespace minima::data
