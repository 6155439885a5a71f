#pragma once

#include <cstdint>
#include <vector>

namespace minima::detail {

/// How a dimension is resized: result i is Σ weights[k · results + i] · x[places[k · results + i]] over k < per_result.
/// Results with fewer taps fill the rest with place `size`, which reads as 0.
struct Taps {
  std::int64_t size, results;
  int per_result = 0;
  std::vector<std::int32_t> places;
  std::vector<double> weights;

  bool is_identity() const;
  /// Whether the result has the same taps as the one before.
  bool repeats(std::int64_t result) const;
};

/// One term of a result.
struct Tap {
  std::int64_t result, place;
  double weight;
};

/// Throws unless a table of taps of this size can exist: ShapeError for sizes beyond int32, OutOfMemoryError if memory
/// is short.
void expect_table(std::int64_t size, std::int64_t results);
/// Keeps each result's taps in the given order; drops those of weight 0.
Taps make_taps(std::int64_t size, std::int64_t results, const std::vector<Tap>& parts);
/// Taps that copy every element.
Taps identity_taps(std::int64_t size);
/// The taps of the gradient.
Taps transposed(const Taps& taps);

}  // namespace minima::detail
