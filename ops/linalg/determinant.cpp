#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/cusolver/cusolver.h>
#include <minima/ops/linalg/factorisations.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/measures.h>
#include <minima/ops/linalg/solves.h>
#include <minima/ops/matmul/matmul.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/scan/scan.h>
#include <minima/ops/view/view.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace minima::linalg {

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
