#pragma once

namespace minima::test {

/// Products that were to give sums too (BlasProduct::sums): how often, and what stands in for cuBLASLt's heuristic.
struct BlasSumsAsked {
  bool refuse = false;
  int computed = 0, refused = 0;
};
BlasSumsAsked& blas_sums_asked();

}  // namespace minima::test
