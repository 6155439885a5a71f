#include <minima/ops/linalg/solves.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/cusolver/cusolver.h>
#include <minima/ops/linalg/factorisations.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/diagonal.h>
#include <minima/ops/view/view.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace minima {

namespace {

using detail::transposed;

void refuse_singular(const char* op, const Tensor& x, const detail::Infos& infos) {
  if (const std::int64_t failed = detail::first_failure(infos); failed >= 0)
    throw ValueError(str(op, ": ", detail::name_matrix(x, failed), " is singular: pivot ",
                         infos[static_cast<std::size_t>(failed)], " is 0; pinv and lstsq take singular matrices"));
}

double flops_to_solve(const Tensor& a, const Tensor& b) {
  const auto n = static_cast<double>(detail::rows_of(a));
  return 2 * n * n * (n / 3 + static_cast<double>(detail::columns_of(b)));
}

/// The gradient of a solution by b, from the factors of a.
struct SolveTransposed {
  static constexpr Traits traits{.name = "solve_transposed"};

  TensorSpec result(const Tensor&, const Tensor&, const Tensor& b) const {
    return spec_of(b.shape(), b.dtype(), b.device());
  }
  Cost cost(const Tensor& lu, const Tensor&, const Tensor& b) const {
    const auto n = static_cast<double>(detail::rows_of(lu));
    return detail::matrix_cost(lu, 2 * n * n * static_cast<double>(detail::columns_of(b)), 2 * b.numel());
  }
  void cpu(const Tensor& lu, const Tensor& pivots, const Tensor& b, Tensor& x) const {
    detail::solve_transposed_kernel(lu, pivots, contiguous(b), x);
  }
  void cuda(const Tensor& lu, const Tensor& pivots, const Tensor& b, Tensor& x) const {
    if (detail::use_cusolver(lu, b)) return detail::solve_transposed_cusolver(lu, pivots, b, x);
    detail::HostCall host(traits.name, lu);
    cpu(host.in(lu), host.in(pivots), host.in(b), host.out(x));
    host.finish();
  }
};

/// X with A·X = B; a and b have the same batch.
struct Solve {
  static constexpr Traits traits{.name = "solve", .hidden = 2};

  std::array<TensorSpec, 3> result(const Tensor& a, const Tensor& b) const {
    Shape pivots = a.shape();
    pivots.erase(pivots.rank() - 1);
    return {spec_of(b.shape(), b.dtype(), b.device()), spec_of(a.shape(), a.dtype(), a.device()),
            spec_of(pivots, DType::int64, a.device())};
  }
  Cost cost(const Tensor& a, const Tensor& b) const {
    return detail::matrix_cost(a, flops_to_solve(a, b), 2 * b.numel());
  }
  void cpu(const Tensor& a, const Tensor& b, Tensor& x, Tensor& lu, Tensor& pivots) const {
    refuse_singular(traits.name, a, detail::solve_kernel(contiguous(a), contiguous(b), x, lu, pivots));
  }
  void cuda(const Tensor& a, const Tensor& b, Tensor& x, Tensor& lu, Tensor& pivots) const {
    if (detail::use_cusolver(a, b)) return refuse_singular(traits.name, a, detail::solve_cusolver(a, b, x, lu, pivots));
    detail::HostCall host(traits.name, a);
    cpu(host.in(a), host.in(b), host.out(x), host.out(lu), host.out(pivots));
    host.finish();
  }
  // A·X = B gives dB = A⁻ᵀ·dX and dA = -dB·Xᵀ.
  Gradients<2> gradient(Grad g, Input<0> a, Output x, Needs needs) const {
    return both(apply(Solve{}, transposed(a), g), x, needs);
  }
  Gradients<2> fast_gradient(Grad g, Output x, Hidden<0> lu, Hidden<1> pivots, Needs needs) const {
    return both(apply(SolveTransposed{}, lu, pivots, g), x, needs);
  }

 private:
  static Gradients<2> both(const Tensor& by_b, const Tensor& x, Needs needs) {
    return {needs[0] ? -matmul(by_b, transposed(x)) : Tensor(), by_b};
  }
};

struct Inverse {
  static constexpr Traits traits{.name = "inv", .autocast = Cast::to_float32};
  bool checked;

  TensorSpec result(const Tensor& x) const {
    detail::check_square(traits.name, x);
    return spec_of(x.shape(), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const {
    return detail::matrix_cost(x, 2 * std::pow(static_cast<double>(detail::rows_of(x)), 3), x.numel());
  }
  void cpu(const Tensor& x, Tensor& y) const {
    const detail::Infos infos = detail::inv_kernel(contiguous(x), y);
    if (checked) refuse_singular(traits.name, x, infos);
  }
  void cuda(const Tensor& x, Tensor& y) const {
    if (detail::use_cusolver(x)) return refuse_singular(traits.name, x, detail::inv_cusolver(x, checked, y));
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(y));
    host.finish();
  }
  Tensor gradient(Grad g, Output y) const { return -matmul(transposed(y), matmul(g, transposed(y))); }
};

}  // namespace

Tensor detail::unchecked_inverse(const Tensor& x) { return apply(Inverse{false}, x); }

bool detail::holds_vectors(const Tensor& a, const Tensor& b) {
  Shape rows = a.shape();
  rows.erase(rows.rank() - 1);
  return b.rank() == 1 || b.shape() == rows;
}

namespace linalg {

Tensor inv(const Tensor& x) { return apply(Inverse{true}, x); }

Tensor solve(const Tensor& a, const Tensor& b, bool left) {
  constexpr const char* op = Solve::traits.name;
  detail::check_defined(op, a);
  detail::check_defined(op, b, 1);
  const Tensor given = detail::outside_autocast(a), right = detail::outside_autocast(b);
  const detail::WithoutAutocast guard;
  detail::check_square(op, given);
  detail::check_same_dtype(op, given, right);
  const bool is_vectors = detail::holds_vectors(given, right);
  if (!is_vectors &&
      (right.rank() < 2 || detail::rows_of(given) != (left ? detail::rows_of(right) : detail::columns_of(right))))
    throw ShapeError(str(op, ": needs a [..., N, N] and b ", left ? "[..., N, K]" : "[..., K, N]", " or [..., N], got ",
                         given, " and ", right));
  const Tensor matrix = left ? given : transposed(given);
  const Tensor columns = is_vectors ? unsqueeze(right, -1) : left ? right : transposed(right);
  if (detail::rows_of(columns) != detail::rows_of(matrix))
    throw ShapeError(str(op, ": needs a [..., N, N] and b [N], got ", given, " and ", right));
  const Shape batch = broadcast(detail::leading(matrix.shape()), detail::leading(columns.shape()), op);
  const Tensor x = apply(Solve{}, detail::expand_batch(matrix, batch), detail::expand_batch(columns, batch));
  return is_vectors ? squeeze(x, -1) : left ? x : transposed(x);
}

Tensor tensorinv(const Tensor& x, std::int64_t split) {
  constexpr const char* op = "tensorinv";
  detail::check_defined(op, x);
  if (split < 1 || split >= x.rank())
    throw ValueError(str(op, ": split must be between 1 and ", x.rank() - 1, " for ", x, ", got ", split));
  Shape results, arguments;
  for (int i = 0; i < x.rank(); ++i) (i < split ? results : arguments).push_back(x.shape()[i]);
  if (numel(results) != numel(arguments))
    throw ShapeError(str(op, ": needs as many elements in the first ", split, " dimensions as in the others, got ", x));
  const Tensor inverse = inv(reshape(x, {numel(results), numel(arguments)}));
  for (const std::int64_t size : results) arguments.push_back(size);
  return reshape(inverse, arguments);
}

Tensor tensorsolve(const Tensor& a, const Tensor& b, const Shape& dims) {
  constexpr const char* op = "tensorsolve";
  detail::check_defined(op, a);
  detail::check_defined(op, b, 1);
  Shape last;
  for (int i = 0; i < dims.rank(); ++i) last.push_back(i - dims.rank());
  const Tensor moved = dims.rank() == 0 ? a : movedim(a, dims, last);
  Shape solution;
  for (int i = b.rank(); i < moved.rank(); ++i) solution.push_back(moved.shape()[i]);
  if (moved.rank() < b.rank() || numel(solution) != b.numel() || moved.numel() != b.numel() * numel(solution))
    throw ShapeError(
        str(op, ": needs a with b's dimensions and as many elements in the others, got ", moved, " and ", b));
  return reshape(solve(reshape(moved, {b.numel(), b.numel()}), reshape(b, {b.numel()})), solution);
}

}  // namespace linalg

}  // namespace minima

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
  const Tensor unit = eye(detail::rows_of(triangle), {.dtype = triangle.dtype(), .device = triangle.device()});
  return cholesky_solve(unit, triangle, upper);
}

}  // namespace minima::linalg
