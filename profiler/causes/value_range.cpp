#include <minima/profiler/causes/value_range.h>

#include <minima/tensor/base/format.h>
#include <minima/tensor/host_copy.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace minima::profiler {

std::string detail::digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::vector<double> detail::values_of(const Tensor& x) {
  std::vector<double> values(static_cast<std::size_t>(x.numel()));
  minima::detail::copy_to_host(x, values.data(), x.numel());
  return values;
}

ValueRange range_of(const Tensor& x) {
  ValueRange range;
  range.spec = str(x.dtype(), " ", x.shape());
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const double value : detail::values_of(x)) {
    ++range.elements;
    if (std::isnan(value)) ++range.nans;
    else if (std::isinf(value)) ++range.infinities;
    else least = std::min(least, value), most = std::max(most, value);
  }
  if (least <= most) range.least = least, range.most = most;
  return range;
}

std::string ValueRange::text() const {
  std::string text = spec;
  if (elements > nans + infinities) text += str(" in [", detail::digits(least), ", ", detail::digits(most), "]");
  if (nans) text += str(", ", nans, " NaN");
  if (infinities) text += str(", ", infinities, " Inf");
  return text;
}

detail::Distance detail::distance(const std::vector<double>& a, const std::vector<double>& b) {
  Distance result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i])) result.scale = std::max(result.scale, std::abs(a[i]));
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    double difference = std::abs(a[i] - b[i]);
    if (!std::isfinite(difference)) difference = std::numeric_limits<double>::infinity();
    if (difference > result.absolute) {
      result.absolute = difference;
      result.place = static_cast<std::int64_t>(i);
    }
  }
  return result;
}

}  // namespace minima::profiler
