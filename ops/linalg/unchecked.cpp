#include <minima/ops/linalg/unchecked.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/solves.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/bitwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/view/diagonal.h>
#include <minima/ops/view/view.h>

#include <cstdint>
#include <utility>

namespace minima::linalg {

namespace {

/// Where the first of `failed` [..., K] is, counted from 1, or 0: int32 [...].
Tensor first_of(const Tensor& failed) {
  const std::int64_t count = failed.shape().back();
  if (count == 0) return zeros(detail::leading(failed.shape(), 1), {.dtype = DType::int32, .device = failed.device()});
  const Tensor places = arange(1, count + 1, 1, {.device = failed.device()});
  const Tensor first = amin(where(failed, places, count + 1), {-1});
  return where(first > count, 0, first).to(DType::int32);
}

Tensor is_zero_on_diagonal(const Tensor& x) { return diagonal(x.detach(), 0, -2, -1) == 0; }

}  // namespace

LUInfo lu_factor_ex(const Tensor& x) {
  detail::check_defined("lu_factor_ex", x);
  auto [lu, pivots] = lu_factor(x);
  Tensor info = first_of(is_zero_on_diagonal(lu));
  return {std::move(lu), std::move(pivots), std::move(info)};
}

LDLInfo ldl_factor_ex(const Tensor& x) {
  detail::check_defined("ldl_factor_ex", x);
  auto [ld, pivots] = ldl_factor(x);
  Tensor info = first_of(logical_and(is_zero_on_diagonal(ld), pivots > 0));
  return {std::move(ld), std::move(pivots), std::move(info)};
}

InverseInfo inv_ex(const Tensor& x) {
  constexpr const char* op = "inv_ex";
  detail::check_defined(op, x);
  const Tensor given = detail::outside_autocast(x);
  const detail::WithoutAutocast guard;
  detail::check_square(op, given);
  const auto [lu, pivots, info] = lu_factor_ex(given);
  const Tensor unit = eye(detail::rows_of(given), {.dtype = given.dtype(), .device = given.device()});
  return {lu_solve({lu, pivots}, unit), info};
}

SolutionInfo solve_ex(const Tensor& a, const Tensor& b, bool left) {
  constexpr const char* op = "solve_ex";
  detail::check_defined(op, a);
  detail::check_defined(op, b, 1);
  const Tensor given = detail::outside_autocast(a), right = detail::outside_autocast(b);
  const detail::WithoutAutocast guard;
  detail::check_square(op, given);
  detail::check_same_dtype(op, given, right);
  const bool is_vectors = detail::holds_vectors(given, right);
  const auto [lu, pivots, info] = lu_factor_ex(given);
  const Tensor x = lu_solve({lu, pivots}, is_vectors ? unsqueeze(right, left ? -1 : -2) : right, left);
  return {is_vectors ? squeeze(x, left ? -1 : -2) : x, info};
}

}  // namespace minima::linalg
