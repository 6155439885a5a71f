#pragma once

#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::train {

/// Summarises the elements of one or several floating tensors.
struct ValueSummary {
  std::int64_t elements = 0;
  std::int64_t zeros = 0;
  std::int64_t non_finite = 0;  ///< NaN and infinities
  double mean_abs = 0;          ///< Σ|x| / n over the finite elements, and 0 if there are none, as the next two
  double rms = 0;               ///< √(Σx² / n)
  double max_abs = 0;

  /// The share of the elements that are 0; 0 without elements.
  double zero_share() const { return elements > 0 ? static_cast<double>(zeros) / static_cast<double>(elements) : 0; }
};

namespace detail {

/// The number of elements, Σ|x|, Σx² and max|x| of the finite ones, and the numbers of zeros and of elements that are
/// not finite: float64 [6] on x's device, without synchronising.
MINIMA_API Tensor sums_of(const Tensor& x);
/// The same by operators, for any device.
MINIMA_API Tensor sums_by_operators(const Tensor& x);

inline constexpr std::size_t sum_count = 6;
/// Whether all elements of one of several tensors are finite, by these tensors' sums.
inline bool is_finite(const std::vector<double>& sums, std::size_t tensor) {
  return sums[(tensor + 1) * sum_count - 1] == 0;
}
/// The summary of several tensors' sums, `sum_count` numbers each, with all elements times `scale`.
MINIMA_API ValueSummary summary_of(const std::vector<double>& sums, double scale = 1);

}  // namespace detail

}  // namespace minima::train
