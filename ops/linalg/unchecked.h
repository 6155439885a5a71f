#pragma once

#include <minima/ops/linalg/factorisations.h>
#include <minima/tensor/tensor.h>

// Linear algebra that reports matrices it cannot factor instead of throwing, as PyTorch's functions that end in _ex do.
// `info` is int32 with the batch's shape: 0 for success, else the place, counted from 1, that failed. Where it is not
// 0, the other results have no meaning. Gradients are those of the functions without _ex.

namespace minima::linalg {

struct CholeskyInfo {
  Tensor factor;
  Tensor info;
};
/// cholesky, with the first leading minor that is not positive.
MINIMA_API CholeskyInfo cholesky_ex(const Tensor& x, bool upper = false);

struct LUInfo {
  Tensor lu;
  Tensor pivots;
  Tensor info;
};
/// lu_factor, with the first pivot that is 0.
MINIMA_API LUInfo lu_factor_ex(const Tensor& x);

struct InverseInfo {
  Tensor inverse;
  Tensor info;
};
/// inv, with the first pivot that is 0.
MINIMA_API InverseInfo inv_ex(const Tensor& x);

struct SolutionInfo {
  Tensor solution;
  Tensor info;
};
/// solve, with the first pivot that is 0.
MINIMA_API SolutionInfo solve_ex(const Tensor& a, const Tensor& b, bool left = true);

struct LDLInfo {
  Tensor ld;
  Tensor pivots;
  Tensor info;
};
/// ldl_factor, with the first block of D that is singular.
MINIMA_API LDLInfo ldl_factor_ex(const Tensor& x);

}  // namespace minima::linalg
