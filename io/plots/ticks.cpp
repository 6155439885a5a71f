#include <minima/io/plots/ticks.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
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
  const double rough = (high - low) / std::max(wanted, 1);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double fraction = rough / power;
  double step = power * (fraction < 1.5 ? 1 : fraction < 3 ? 2 : fraction < 7 ? 5 : 10);
  if (whole) step = std::max(step, 1.0);

  const double largest = std::max(std::abs(low), std::abs(high));
  step = std::max(step, 1e-12 * largest);  // below, k + 1 could be k
  const int magnitude = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  const bool scientific = largest >= 1e6 || largest < 1e-3;
  const int exponent = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
  const int decimals = std::max(0, scientific ? exponent - magnitude : -magnitude);

  Ticks ticks;
  const double slack = 1e-9 * (high - low);  // keeps a tick on the border despite rounding
  for (double k = std::ceil((low - slack) / step); k * step <= high + slack; k += 1) {
    const double value = k * step;
    ticks.values.push_back(value);
    if (value == 0) ticks.labels.push_back("0");
    else ticks.labels.push_back(formatted(scientific ? "%.*e" : "%.*f", decimals, value));
  }
  return ticks;
}

Ticks log_ticks(double low, double high, int wanted) {
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  const bool fine = std::log10(high / low) < 3;
  const int stride = std::max(1, (last - first + wanted - 1) / std::max(wanted, 1));
  const bool exponents = low < 1e-3 * (1 - 1e-9) || high >= 1e5 * (1 - 1e-9);
  Ticks ticks;
  for (int exponent = first; exponent <= last; exponent += stride)
    for (const int digit : {1, 2, 5}) {
      const double value = digit * std::pow(10.0, exponent);
      if ((digit > 1 && !fine) || value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      ticks.values.push_back(value);
      ticks.labels.push_back(power_label(digit, exponent, exponents));
    }
  return ticks;
}

}  // namespace minima::svg
