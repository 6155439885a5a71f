#pragma once

#include <cstdint>
#include <vector>

namespace minima::detail {

/// How a dimension is resized: result i is Σ weights[k · results + i] · x[places[k · results + i]] over k < per_result.
/// Where a result is made of fewer elements, the rest of its places is `size`, which stands for nothing.
struct Taps {
  std::int64_t size, results;
  int per_result = 0;
  std::vector<std::int32_t> places;
  std::vector<double> weights;

  bool is_identity() const;
  /// Results that are made of the same as the one before.
  bool repeats(std::int64_t result) const;
};

/// A part of a result.
struct Tap {
  std::int64_t result, place;
  double weight;
};

/// Throws unless a table of the taps can exist: ShapeError for sizes beyond int32, OutOfMemoryError for want of memory.
void expect_table(std::int64_t size, std::int64_t results);
/// A result's taps stay in the order given; those that weigh nothing are left out.
Taps make_taps(std::int64_t size, std::int64_t results, const std::vector<Tap>& parts);
/// Results that are the elements themselves.
Taps identity_taps(std::int64_t size);
/// What the gradient of each element is made of.
Taps transposed(const Taps& taps);

}  // namespace minima::detail
