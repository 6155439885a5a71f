#include <minima/ops/linalg/measures.h>
#include <minima/ops/linalg/factorisations.h>
#include <minima/ops/linalg/kernels/batch.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/cusolver/cusolver.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/solves.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/scan.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace minima::linalg {

namespace {

/// x with the two dimensions of its matrices.
struct Matrices {
  Tensor x;
  int rows, columns;
};

Matrices matrices_of(const char* op, const Tensor& x, const Shape& dims) {
  detail::check_defined(op, x);
  Tensor given = detail::outside_autocast(x);
  detail::check_matrices(op, given);
  if (dims.rank() != 2) throw ValueError(str(op, ": needs two dimensions, got ", dims));
  const int rows = wrap_dim(dims[0], x.rank(), op), columns = wrap_dim(dims[1], x.rank(), op);
  if (rows == columns) throw ValueError(str(op, ": the dimensions must differ, got ", dims));
  return {std::move(given), rows, columns};
}

/// The singular values [..., K] of the matrices.
Tensor singular_values(const Matrices& matrices) {
  Shape order;
  for (int d = 0; d < matrices.x.rank(); ++d)
    if (d != matrices.rows && d != matrices.columns) order.push_back(d);
  order.push_back(matrices.rows);
  order.push_back(matrices.columns);
  return svdvals(permute(matrices.x, order));
}

/// A result [...] with the matrices' dimensions of size 1, if they are kept.
Tensor kept(const Tensor& y, const Matrices& matrices, bool keep_dim) {
  if (!keep_dim) return y;
  const int first = std::min(matrices.rows, matrices.columns), second = std::max(matrices.rows, matrices.columns);
  return unsqueeze(unsqueeze(y, first), second);
}

void check_not_empty(const char* op, const Matrices& matrices) {
  if (matrices.x.shape()[matrices.rows] == 0 || matrices.x.shape()[matrices.columns] == 0)
    throw ShapeError(str(op, ": matrices without elements have no largest one, got ", matrices.x));
}

Tensor norm_of(const char* op, const Matrices& matrices, double p, bool keep_dim) {
  const bool is_largest = p > 0;
  const double size = std::abs(p);
  if (size != 1 && size != 2 && !std::isinf(size))
    throw ValueError(str(op, ": p must be 1, 2, ∞ or the negative of one of them, got ", p));
  check_not_empty(op, matrices);
  const auto extreme = [&](const Tensor& y, const Shape& dims, bool keep) {
    return is_largest ? amax(y, dims, keep) : amin(y, dims, keep);
  };
  if (size == 2) return kept(extreme(singular_values(matrices), {-1}, false), matrices, keep_dim);
  const int summed = size == 1 ? matrices.rows : matrices.columns,
            compared = size == 1 ? matrices.columns : matrices.rows;
  const Tensor y = extreme(sum(abs(matrices.x), {summed}, true), {compared}, true);
  if (keep_dim) return y;
  return squeeze(squeeze(y, std::max(summed, compared)), std::min(summed, compared));
}

}  // namespace

Tensor matrix_norm(const Tensor& x, MatrixNorm norm, const Shape& dims, bool keep_dim) {
  const Matrices matrices = matrices_of("matrix_norm", x, dims);
  const detail::WithoutAutocast guard;
  if (norm == MatrixNorm::frobenius) return minima::norm(matrices.x, 2, dims, keep_dim);
  return kept(sum(singular_values(matrices), {-1}), matrices, keep_dim);
}

Tensor matrix_norm(const Tensor& x, double p, const Shape& dims, bool keep_dim) {
  const Matrices matrices = matrices_of("matrix_norm", x, dims);
  const detail::WithoutAutocast guard;
  return norm_of("matrix_norm", matrices, p, keep_dim);
}

Tensor vector_norm(const Tensor& x, double p, const Shape& dims, bool keep_dim) {
  detail::check_defined("vector_norm", x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str("vector_norm: needs a floating tensor, got ", x, "; convert it with to()"));
  for (const std::int64_t dim : dims) wrap_dim(dim, x.rank(), "vector_norm");
  return norm(x, p, dims, keep_dim);
}

Tensor cond(const Tensor& x, double p) {
  constexpr const char* op = "cond";
  const Matrices matrices = matrices_of(op, x, {-2, -1});
  const detail::WithoutAutocast guard;
  if (std::abs(p) != 2) {
    detail::check_square(op, matrices.x);
    return norm_of(op, matrices, p, false) *
           norm_of(op, {detail::unchecked_inverse(matrices.x), matrices.rows, matrices.columns}, p, false);
  }
  check_not_empty(op, matrices);
  const Tensor s = svdvals(matrices.x), largest = select(s, -1, 0), smallest = select(s, -1, -1);
  return p > 0 ? largest / smallest : smallest / largest;
}

Tensor cond(const Tensor& x, MatrixNorm norm) {
  const Matrices matrices = matrices_of("cond", x, {-2, -1});
  const detail::WithoutAutocast guard;
  detail::check_square("cond", matrices.x);
  if (norm == MatrixNorm::frobenius)
    return matrix_norm(matrices.x, norm) * matrix_norm(detail::unchecked_inverse(matrices.x), norm);
  const Tensor s = svdvals(matrices.x);
  return sum(s, {-1}) * sum(1 / s, {-1});
}

namespace {

using detail::rows_of, detail::transposed;

TensorSpec one_each(const Tensor& x) { return spec_of(detail::leading(x.shape()), x.dtype(), x.device()); }

double lu_flops(const Tensor& x) { return 2 * std::pow(static_cast<double>(rows_of(x)), 3) / 3; }

/// [..., 1, 1]
Tensor as_matrices(const Tensor& x) { return unsqueeze(unsqueeze(x, -1), -1); }

/// The derivative of the determinant, also of singular matrices: det(U)·det(Vᵀ)·U·diag(products of the other singular
/// values)·Vᵀ.
Tensor cofactors(const Tensor& x) {
  const std::int64_t n = rows_of(x);
  const auto [u, s, vt] = svd(x);
  const Tensor orientation = det(u.detach()) * det(vt.detach());
  const Tensor is_own = eye(n, n, {.dtype = DType::boolean, .device = x.device()});
  const Tensor others = prod(where(is_own, 1, unsqueeze(s, -2)), {-1});
  return as_matrices(orientation) * matmul(u * unsqueeze(others, -2), vt);
}

struct Determinant {
  static constexpr Traits traits{.name = "det", .autocast = Cast::to_float32};

  TensorSpec result(const Tensor& x) const {
    detail::check_square(traits.name, x);
    return one_each(x);
  }
  Cost cost(const Tensor& x) const { return detail::matrix_cost(x, lu_flops(x), detail::count_matrices(x)); }
  void cpu(const Tensor& x, Tensor& y) const { detail::det_kernel(contiguous(x), y); }
  void cuda(const Tensor& x, Tensor& y) const {
    if (detail::use_cusolver(x)) return detail::det_cusolver(x, y);
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(y));
    host.finish();
  }
  Tensor gradient(Grad g, Input<0> x, Output y) const {
    if (x.numel() == 0) return as_matrices(g) * x;
    if (all(y.detach() != 0).item<bool>()) return as_matrices(g * y) * transposed(inv(x));
    return as_matrices(g) * cofactors(x);
  }
};

struct LogDeterminant {
  static constexpr Traits traits{.name = "slogdet", .autocast = Cast::to_float32};

  std::array<TensorSpec, 2> result(const Tensor& x) const {
    detail::check_square(traits.name, x);
    return {one_each(x), one_each(x)};
  }
  Cost cost(const Tensor& x) const { return detail::matrix_cost(x, lu_flops(x), 2 * detail::count_matrices(x)); }
  void cpu(const Tensor& x, Tensor& sign, Tensor& logarithm) const {
    detail::slogdet_kernel(contiguous(x), sign, logarithm);
  }
  void cuda(const Tensor& x, Tensor& sign, Tensor& logarithm) const {
    if (detail::use_cusolver(x)) return detail::slogdet_cusolver(x, sign, logarithm);
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(sign), host.out(logarithm));
    host.finish();
  }
  Tensor gradient(GradAt<1> g, Input<0> x) const {
    if (!g.defined()) return {};
    return as_matrices(g) * transposed(inv(x));
  }
};

}  // namespace

Tensor det(const Tensor& x) { return apply(Determinant{}, x); }

SignAndLogarithm slogdet(const Tensor& x) {
  auto [sign, logarithm] = apply(LogDeterminant{}, x);
  return {std::move(sign), std::move(logarithm)};
}

Tensor logdet(const Tensor& x) {
  detail::check_defined("logdet", x);
  const Tensor given = detail::outside_autocast(x);
  const detail::WithoutAutocast guard;
  detail::check_square("logdet", given);
  const auto [sign, logarithm] = slogdet(given);
  return where(sign < 0, std::numeric_limits<double>::quiet_NaN(), logarithm);
}

}  // namespace minima::linalg
