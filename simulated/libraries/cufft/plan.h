#pragma once

#include <cufft.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace simulated {

/// One side of a plan: where its elements are in memory, counted in elements.
struct TransformSide {
  std::array<std::int64_t, 3> n{1, 1, 1};      ///< elements of one transform
  std::array<std::int64_t, 3> sizes{1, 1, 1};  ///< of the array that holds them
  std::int64_t stride = 1, distance = 0;
  bool is_complex = true;

  std::int64_t count() const { return n[0] * n[1] * n[2]; }
  std::int64_t place(std::int64_t transform, std::int64_t i, std::int64_t j, std::int64_t k) const {
    return transform * distance + ((i * sizes[1] + j) * sizes[2] + k) * stride;
  }
  /// The number of elements from the first of the first transform to behind the last of the last.
  std::int64_t span(std::int64_t batch) const { return place(batch - 1, n[0] - 1, n[1] - 1, n[2] - 1) + 1; }
};

/// The arguments of cufftMakePlanMany64.
struct TransformPlan {
  cufftType type = CUFFT_C2C;
  int rank = 0;                            ///< 0: not made yet
  std::array<std::int64_t, 3> n{1, 1, 1};  ///< of the longer side; the last `rank` count
  std::int64_t batch = 1;
  TransformSide in, out;
  std::size_t workspace_bytes = 0;

  bool is_double() const { return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D; }
  bool has_real_input() const { return type == CUFFT_R2C || type == CUFFT_D2Z; }
  bool has_real_output() const { return type == CUFFT_C2R || type == CUFFT_Z2D; }
  std::size_t bytes(const TransformSide& side) const {
    return (is_double() ? sizeof(double) : sizeof(float)) * (side.is_complex ? 2 : 1);
  }
  std::size_t span_bytes(const TransformSide& side) const {
    return static_cast<std::size_t>(side.span(batch)) * bytes(side);
  }
  double flops() const;  ///< 5·n·log₂(n) of a complex transform, half of it of a real one
};

/// Computes all transforms in float64, rounded once. Real results cost their input, which is NaN then. Returns false
/// where the result of a GPU is not defined: numbers of a half spectrum that stand for themselves must be real.
bool transform(const TransformPlan& plan, char* from, char* to, bool inverse);

}  // namespace simulated
