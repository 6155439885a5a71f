#pragma once

namespace minima::test {

/// Products with something that cuBLASLt may refuse: how often they were asked for, and what stands in for its
/// heuristic.
struct BlasAsked {
  bool refuse = false;
  int computed = 0, refused = 0;
};
BlasAsked& blas_sums_asked();  ///< BlasProduct::sums
BlasAsked& blas_gelu_asked();  ///< BlasActivation::gelu

}  // namespace minima::test
