#include <minima/io/plots/ticks.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

namespace minima::svg {

namespace {

std::string formatted(const char* format, int decimals, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, decimals, value);
  std::string result = text;
  // The C library's decimal mark depends on the locale.
  std::replace(result.begin(), result.end(), ',', '.');
  return result;
}

/// 3 → "1000", -5 → "1e-5". Beside others that need an exponent, -3 → "1e-3".
std::string power_label(int digit, int exponent, bool beside_exponents) {
  if (exponent >= 0 && exponent <= (beside_exponents ? 2 : 4))
    return std::to_string(digit * static_cast<int>(std::lround(std::pow(10, exponent))));
  if (exponent < 0 && exponent >= (beside_exponents ? -2 : -3))
    return formatted("%.*f", -exponent, digit * std::pow(10.0, exponent));
  return std::to_string(digit) + "e" + std::to_string(exponent);
}

}  // namespace

Ticks linear_ticks(double low, double high, int wanted, bool whole) {
  if (!(low <= high) || !std::isfinite(low) || !std::isfinite(high)) return {};
  const int parts = std::max(wanted, 2);  // so that a part of any range is finite
  const double rough = high / parts - low / parts;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double fraction = rough / power;
  double step = power * (fraction < 1.5 ? 1 : fraction < 3 ? 2 : fraction < 7 ? 5 : 10);
  if (whole) step = std::max(step, 1.0);

  double largest = std::max(std::abs(low), std::abs(high));
  step = std::max(step, 1e-12 * largest);                     // below, k + 1 could be k
  step = std::max(step, std::numeric_limits<double>::min());  // above 0, even of a range of subnormal numbers
  largest = std::max(largest, step);
  const int magnitude = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  const bool scientific = largest >= 1e6 || largest < 1e-3;
  const int exponent = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
  const int decimals = std::max(0, scientific ? exponent - magnitude : -magnitude);

  Ticks ticks;
  const double slack = 1e-9 * (high / step - low / step);  // keeps a tick on the border despite rounding
  for (double k = std::ceil(low / step - slack); k <= high / step + slack; k += 1) {
    const double value = k * step;
    if (!std::isfinite(value)) continue;
    ticks.values.push_back(value);
    if (value == 0) ticks.labels.push_back("0");
    else ticks.labels.push_back(formatted(scientific ? "%.*e" : "%.*f", decimals, value));
  }
  return ticks;
}

Ticks log_ticks(double low, double high, int wanted) {
  if (!(low > 0 && low <= high) || !std::isfinite(high)) return {};
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  const bool fine = std::log10(high / low) < 3;
  const int stride = std::max(1, (last - first + wanted - 1) / std::max(wanted, 1));
  const bool exponents = low < 1e-3 * (1 - 1e-9) || high >= 1e5 * (1 - 1e-9);
  Ticks ticks;
  for (int exponent = first; exponent <= last; exponent += stride)
    for (const int digit : {1, 2, 5}) {
      const double value = digit * std::pow(10.0, exponent);
      if ((digit > 1 && !fine) || !std::isfinite(value)) continue;
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      ticks.values.push_back(value);
      ticks.labels.push_back(power_label(digit, exponent, exponents));
    }
  return ticks;
}

}  // namespace minima::svg
