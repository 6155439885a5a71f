#include <minima/ops/arrange/arrange.h>
#include <minima/ops/cat/cat.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/linalg/cusolver/cusolver.h>
#include <minima/ops/linalg/factorisations.h>
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

}  // namespace minima::linalg
