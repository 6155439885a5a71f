#pragma once

namespace minima::test {

/// Products with options that cuBLASLt may refuse: the number of requests, and the answer in place of its heuristic.
struct BlasAsked {
  bool refuse = false;
  int computed = 0, refused = 0;
};
BlasAsked& blas_sums_asked();  ///< BlasProduct::sums
BlasAsked& blas_gelu_asked();  ///< BlasActivation::gelu

}  // namespace minima::test
