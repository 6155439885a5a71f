#include <minima/ops/linalg/reflections.h>

#include <minima/ops/arrange/arrange.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/cusolver/cusolver.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/solves.h>
#include <minima/ops/matmul/matmul.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace minima::linalg {

namespace {

using detail::columns_of, detail::rows_of, detail::transposed;

struct Geqrf {
  static constexpr Traits traits{.name = "geqrf", .autocast = Cast::to_float32};

  std::array<TensorSpec, 2> result(const Tensor& x) const {
    detail::check_matrices(traits.name, x);
    const Shape tau = detail::joined(detail::leading(x.shape()), {std::min(rows_of(x), columns_of(x))});
    return {spec_of(x.shape(), x.dtype(), x.device()), spec_of(tau, x.dtype(), x.device())};
  }
  Cost cost(const Tensor& x) const {
    const auto m = static_cast<double>(rows_of(x)), n = static_cast<double>(columns_of(x)), k = std::min(m, n);
    return detail::matrix_cost(x, 2 * k * (m * n - k * (m + n) / 2 + k * k / 3), x.numel());
  }
  void cpu(const Tensor& x, Tensor& a, Tensor& tau) const { detail::geqrf_kernel(contiguous(x), a, tau); }
  void cuda(const Tensor& x, Tensor& a, Tensor& tau) const {
    if (detail::use_cusolver(x)) return detail::geqrf_cusolver(x, a, tau);
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(a), host.out(tau));
    host.finish();
  }
};

/// Checks reflections a [..., M, N] and tau [..., K], K ≤ N ≤ M.
void check_reflections(const char* op, const Tensor& a, const Tensor& tau) {
  detail::check_matrices(op, a);
  detail::check_same_dtype(op, a, tau);
  const bool fits = tau.rank() == a.rank() - 1 && detail::leading(tau.shape(), 1) == detail::leading(a.shape()) &&
                    tau.shape().back() <= columns_of(a) && columns_of(a) <= rows_of(a);
  if (!fits)
    throw ShapeError(str(op, ": needs reflections [..., M, N] and [..., K] with K <= N <= M, got ", a, " and ", tau));
}

/// V·T·Vᵀ·C with H₁·…·H_K = 1 - V·T·Vᵀ, or V·Tᵀ·Vᵀ·C: T⁻¹ = D⁻¹ + U, where D = diag(τ) and U is VᵀV above its
/// diagonal.
Tensor change_of(const Tensor& a, const Tensor& tau, const Tensor& c, bool is_transposed) {
  const std::int64_t count = tau.shape().back();
  const TensorOptions options{.dtype = a.dtype(), .device = a.device()};
  const Tensor v = tril(narrow(a, -1, 0, count), -1) + eye(rows_of(a), count, options);
  const Tensor scales = unsqueeze(tau, -1), above = triu(matmul(transposed(v), v), 1) * scales;
  const Tensor along = matmul(transposed(v), c);
  // T = (1 + D·U)⁻¹·D; the diagonal of ones is not read.
  const TriangularOptions ones{.upper = !is_transposed, .unitriangular = true};
  const Tensor inner = is_transposed ? scales * solve_triangular(transposed(above), along, ones)
                                     : solve_triangular(above, scales * along, ones);
  return matmul(v, inner);
}

}  // namespace

Reflections geqrf(const Tensor& x) {
  auto [a, tau] = apply(Geqrf{}, x);
  return {std::move(a), std::move(tau)};
}

Tensor householder_product(const Tensor& a, const Tensor& tau) {
  constexpr const char* op = "householder_product";
  detail::check_defined(op, a);
  detail::check_defined(op, tau, 1);
  const Tensor vectors = detail::outside_autocast(a), scales = detail::outside_autocast(tau);
  const detail::WithoutAutocast guard;
  check_reflections(op, vectors, scales);
  const Tensor unit =
      eye(rows_of(vectors), columns_of(vectors), {.dtype = vectors.dtype(), .device = vectors.device()});
  return unit - change_of(vectors, scales, unit, false);
}

Tensor ormqr(const Tensor& a, const Tensor& tau, const Tensor& c, const OrmqrOptions& options) {
  constexpr const char* op = "ormqr";
  detail::check_defined(op, a);
  detail::check_defined(op, tau, 1);
  detail::check_defined(op, c, 2);
  const Tensor vectors = detail::outside_autocast(a), scales = detail::outside_autocast(tau);
  const Tensor given = detail::outside_autocast(c);
  const detail::WithoutAutocast guard;
  check_reflections(op, vectors, scales);
  detail::check_matrices(op, given, 2);
  detail::check_same_dtype(op, vectors, given);
  if ((options.left ? rows_of(given) : columns_of(given)) != rows_of(vectors))
    throw ShapeError(str(op, ": needs reflections [..., M, K] and c ", options.left ? "[..., M, L]" : "[..., L, M]",
                         ", got ", vectors, " and ", given));
  broadcast(detail::leading(vectors.shape()), detail::leading(given.shape()), op);
  if (options.left) return given - change_of(vectors, scales, given, options.transposed);
  return given - transposed(change_of(vectors, scales, transposed(given), !options.transposed));
}

}  // namespace minima::linalg
