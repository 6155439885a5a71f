#pragma once

#include <minima/tensor/base/api.h>

#include <string>
#include <vector>

namespace minima::svg {

/// The ticks of an axis and their labels.
struct Ticks {
  std::vector<double> values;
  std::vector<std::string> labels;
};

/// About `wanted` ticks at multiples of 1, 2 or 5 times a power of ten inside [low, high]. All labels have the same
/// number of decimals; very large and small values have exponents. `whole`: ticks at integers only. None unless
/// low ≤ high and both are finite.
MINIMA_API Ticks linear_ticks(double low, double high, int wanted, bool whole = false);

/// Powers of ten inside [low, high], with 2 and 5 times them if there would be fewer than three. None unless
/// 0 < low ≤ high and both are finite.
MINIMA_API Ticks log_ticks(double low, double high, int wanted);

}  // namespace minima::svg
