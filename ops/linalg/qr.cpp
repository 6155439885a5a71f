#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/cusolver/cusolver.h>
#include <minima/ops/linalg/factorisations.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/solves.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/diagonal.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace minima::linalg {

namespace {

using detail::columns_of, detail::rows_of, detail::transposed;

Cost qr_cost(const Tensor& x, std::int64_t written) {
  const auto m = static_cast<double>(rows_of(x)), n = static_cast<double>(columns_of(x)), k = std::min(m, n);
  return detail::matrix_cost(x, 2 * k * (m * n - k * (m + n) / 2 + k * k / 3), written);
}

Shape r_shape(const Tensor& x, bool complete) {
  const std::int64_t m = rows_of(x), n = columns_of(x);
  return detail::joined(detail::leading(x.shape()), {complete ? m : std::min(m, n), n});
}

/// R alone, of a constant.
struct OnlyR {
  static constexpr Traits traits{.name = "qr"};
  TensorSpec result(const Tensor& x) const { return spec_of(r_shape(x, false), x.dtype(), x.device()); }
  Cost cost(const Tensor& x) const { return qr_cost(x, result(x).numel()); }
  void cpu(const Tensor& x, Tensor& r) const {
    Tensor q;
    detail::qr_kernel(contiguous(x), q, r);
  }
  void cuda(const Tensor& x, Tensor& r) const {
    if (detail::use_cusolver(x)) return detail::qr_cusolver(x, Tensor(), r);
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(r));
    host.finish();
  }
};

struct Factor {
  static constexpr Traits traits{.name = "qr"};
  bool complete;

  std::array<TensorSpec, 2> result(const Tensor& x) const {
    const std::int64_t m = rows_of(x), n = columns_of(x);
    const Shape q = detail::joined(detail::leading(x.shape()), {m, complete ? m : std::min(m, n)});
    return {spec_of(q, x.dtype(), x.device()), spec_of(r_shape(x, complete), x.dtype(), x.device())};
  }
  Cost cost(const Tensor& x) const {
    const auto [q, r] = result(x);
    Cost cost = qr_cost(x, q.numel() + r.numel());
    cost.flops *= 2;  // Q is multiplied out
    return cost;
  }
  void cpu(const Tensor& x, Tensor& q, Tensor& r) const {
    if (x.numel() == 0) return detail::identity_kernel(q);
    detail::qr_kernel(contiguous(x), q, r);
  }
  void cuda(const Tensor& x, Tensor& q, Tensor& r) const {
    if (detail::use_cusolver(x)) return detail::qr_cusolver(x, q, r);
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(q), host.out(r));
    host.finish();
  }

  Tensor gradient(GradAt<0> by_q, GradAt<1> by_r, OutputAt<0> q, OutputAt<1> r) const {
    const std::int64_t m = rows_of(q), n = columns_of(r);
    if (complete && m > n)
      throw AutogradError(str("qr: mode complete has no gradient for ", Tensor(r),
                              ", because Q has columns that x does not determine; use QRMode::reduced"));
    if (!by_q.defined() && !by_r.defined()) return {};
    if (m >= n) return of_tall(by_q, by_r, q, r);
    // x = [X, Y] with X = Q·U and Y = Q·V: V = Qᵀ·Y moves Q, too.
    const Tensor u = narrow(r, -1, 0, m), v = narrow(r, -1, m, n - m);
    if (!by_r.defined()) {
      const Tensor by_x = of_tall(by_q, Tensor(), q, u);
      return cat({by_x, matmul(q, v) * 0}, -1);
    }
    const Tensor by_u = narrow(by_r, -1, 0, m), by_v = narrow(by_r, -1, m, n - m);
    const Tensor through_v = matmul(matmul(q, v), transposed(by_v));
    const Tensor all_by_q = by_q.defined() ? by_q + through_v : through_v;
    return cat({of_tall(all_by_q, by_u, q, u), matmul(q, by_v)}, -1);
  }

 private:
  /// (dQ + Q·copyltu(M))·R⁻ᵀ with M = R·dRᵀ - dQᵀ·Q (Walter, Lehmann 2018).
  static Tensor of_tall(const Tensor& by_q, const Tensor& by_r, const Tensor& q, const Tensor& r) {
    Tensor m;
    if (by_r.defined()) m = matmul(r, transposed(triu(by_r)));
    if (by_q.defined()) m = m.defined() ? m - matmul(transposed(by_q), q) : -matmul(transposed(by_q), q);
    const Tensor along = matmul(q, tril(m) + transposed(tril(m, -1)));
    return solve_triangular(transposed(r), by_q.defined() ? by_q + along : along, {.left = false});
  }
};

}  // namespace

QR qr(const Tensor& x, QRMode mode) {
  constexpr const char* op = Factor::traits.name;
  detail::check_defined(op, x);
  const Tensor given = detail::outside_autocast(x);
  const detail::WithoutAutocast guard;
  detail::check_matrices(op, given);
  if (mode == QRMode::r && !(detail::mode().grad && given.requires_grad())) return {Tensor(), apply(OnlyR{}, given)};
  auto [q, r] = apply(Factor{mode == QRMode::complete}, given);
  return {mode == QRMode::r ? Tensor() : std::move(q), std::move(r)};
}

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
