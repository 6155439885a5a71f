#include <minima/ops/arrange/arrange.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/cusolver/cusolver.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/permutation.h>
#include <minima/ops/linalg/solves.h>
#include <minima/ops/matmul/matmul.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/view.h>

#include <cstdint>

namespace minima::linalg {

namespace {

using detail::transposed;

/// X with A·X = B; a and b have the same batch.
struct SolveTriangular {
  static constexpr Traits traits{.name = "solve_triangular"};
  bool upper, unitriangular;

  TensorSpec result(const Tensor&, const Tensor& b) const { return spec_of(b.shape(), b.dtype(), b.device()); }
  Cost cost(const Tensor& a, const Tensor& b) const {
    return detail::matrix_cost(a,
                               static_cast<double>(detail::rows_of(a)) * static_cast<double>(detail::rows_of(b)) *
                                   static_cast<double>(detail::columns_of(b)),
                               2 * b.numel());
  }
  void cpu(const Tensor& a, const Tensor& b, Tensor& x) const {
    detail::solve_triangular_kernel(contiguous(a), upper, unitriangular, contiguous(b), x);
  }
  void cuda(const Tensor& a, const Tensor& b, Tensor& x) const {
    if (detail::use_cusolver(a, b)) return detail::solve_triangular_cusolver(a, upper, unitriangular, b, x);
    detail::HostCall host(traits.name, a);
    cpu(host.in(a), host.in(b), host.out(x));
    host.finish();
  }
  Gradients<2> gradient(Grad g, Input<0> a, Output x, Needs needs) const {
    const Tensor by_b = apply(SolveTriangular{!upper, unitriangular}, transposed(a), g);
    if (!needs[0]) return {Tensor(), by_b};
    const Tensor by_a = -matmul(by_b, transposed(x));
    const int diagonal = unitriangular ? 1 : 0;
    return {upper ? triu(by_a, diagonal) : tril(by_a, -diagonal), by_b};
  }
};

/// Checks b [..., N, K] for a [..., N, N] and returns the batch of both.
Shape check_right_side(const char* op, const Tensor& a, const Tensor& b, bool left) {
  detail::check_matrices(op, b, 1);
  detail::check_same_dtype(op, a, b);
  if (detail::rows_of(a) != (left ? detail::rows_of(b) : detail::columns_of(b)))
    throw ShapeError(
        str(op, ": needs a [..., N, N] and b ", left ? "[..., N, K]" : "[..., K, N]", ", got ", a, " and ", b));
  return broadcast(detail::leading(a.shape()), detail::leading(b.shape()), op);
}

}  // namespace

Tensor solve_triangular(const Tensor& a, const Tensor& b, const TriangularOptions& options) {
  constexpr const char* op = SolveTriangular::traits.name;
  detail::check_defined(op, a);
  detail::check_defined(op, b, 1);
  const Tensor matrix = detail::outside_autocast(a), given = detail::outside_autocast(b);
  const detail::WithoutAutocast guard;
  detail::check_square(op, matrix);
  const Shape batch = check_right_side(op, matrix, given, options.left);
  const Tensor triangle = detail::expand_batch(matrix, batch), right = detail::expand_batch(given, batch);
  if (options.left) return apply(SolveTriangular{options.upper, options.unitriangular}, triangle, right);
  return transposed(
      apply(SolveTriangular{!options.upper, options.unitriangular}, transposed(triangle), transposed(right)));
}

Tensor lu_solve(const LUFactors& factors, const Tensor& b, bool left) {
  constexpr const char* op = "lu_solve";
  detail::check_defined(op, factors.lu);
  detail::check_defined(op, factors.pivots, 1);
  detail::check_defined(op, b, 2);
  const Tensor factor = detail::outside_autocast(factors.lu), given = detail::outside_autocast(b);
  const detail::WithoutAutocast guard;
  detail::check_square(op, factor);
  Shape expected = factor.shape();
  expected.erase(expected.rank() - 1);
  if (factors.pivots.shape() != expected || factors.pivots.dtype() != DType::int64)
    throw ShapeError(str(op, ": needs the pivots that lu_factor returned, int64 ", expected, ", got ", factors.pivots));
  check_right_side(op, factor, given, left);
  if (left) {
    const Tensor y =
        solve_triangular(factor, detail::permute_rows(given, factors.pivots, false), {.unitriangular = true});
    return solve_triangular(factor, y, {.upper = true});
  }
  // X·P·L·U = B: Y = X·P·L, Z = X·P, and the columns back.
  const Tensor y = solve_triangular(factor, given, {.upper = true, .left = false});
  const Tensor z = solve_triangular(factor, y, {.left = false, .unitriangular = true});
  return transposed(detail::permute_rows(transposed(z), factors.pivots, true));
}

Tensor cholesky_solve(const Tensor& b, const Tensor& factor, bool upper) {
  constexpr const char* op = "cholesky_solve";
  detail::check_defined(op, b);
  detail::check_defined(op, factor, 1);
  const Tensor given = detail::outside_autocast(b), triangle = detail::outside_autocast(factor);
  const detail::WithoutAutocast guard;
  detail::check_square(op, triangle, 1);
  check_right_side(op, triangle, given, true);
  const Tensor l = upper ? transposed(triangle) : triangle;
  return solve_triangular(transposed(l), solve_triangular(l, given, {}), {.upper = true});
}

Tensor cholesky_inverse(const Tensor& factor, bool upper) {
  constexpr const char* op = "cholesky_inverse";
  detail::check_defined(op, factor);
  const Tensor triangle = detail::outside_autocast(factor);
  const detail::WithoutAutocast guard;
  detail::check_square(op, triangle);
  const Tensor unit = eye(detail::rows_of(triangle), -1, {.dtype = triangle.dtype(), .device = triangle.device()});
  return cholesky_solve(unit, triangle, upper);
}

}  // namespace minima::linalg
