#include <minima/ops/copy/copy.h>
#include <minima/ops/linalg/cusolver/cusolver.h>
#include <minima/ops/linalg/factorisations.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/diagonal.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace minima::linalg {

namespace {

using detail::columns_of, detail::rows_of, detail::transposed;

std::int64_t rank_limit(const Tensor& x) { return std::min(rows_of(x), columns_of(x)); }

TensorSpec singular_values_of(const Tensor& x) {
  return spec_of(detail::joined(detail::leading(x.shape()), {rank_limit(x)}), x.dtype(), x.device());
}

void refuse_failures(const char* op, const Tensor& x, const detail::Infos& infos) {
  if (const std::int64_t failed = detail::first_failure(infos); failed >= 0)
    throw ValueError(str(op, ": ", detail::name_matrix(x, failed),
                         " has no singular values that the iteration finds; does it hold NaN or infinities?"));
}

double bidiagonal_flops(const Tensor& x) {
  const auto most = static_cast<double>(std::max(rows_of(x), columns_of(x))),
             least = static_cast<double>(rank_limit(x));
  return 4 * least * least * (most - least / 3);
}

/// The singular values of a constant.
struct OnlySingularValues {
  static constexpr Traits traits{.name = "svdvals"};

  TensorSpec result(const Tensor& x) const { return singular_values_of(x); }
  Cost cost(const Tensor& x) const { return detail::matrix_cost(x, bidiagonal_flops(x), result(x).numel()); }
  void cpu(const Tensor& x, Tensor& s) const {
    Tensor u, vt;
    refuse_failures(traits.name, x, detail::svd_kernel(contiguous(x), u, s, vt));
  }
  void cuda(const Tensor& x, Tensor& s) const {
    if (detail::use_cusolver(x)) return refuse_failures(traits.name, x, detail::svd_cusolver(x, Tensor(), s, Tensor()));
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(s));
    host.finish();
  }
};

struct Singular {
  static constexpr Traits traits{.name = "svd"};
  bool full;

  std::array<TensorSpec, 3> result(const Tensor& x) const {
    const std::int64_t m = rows_of(x), n = columns_of(x), k = rank_limit(x);
    const Shape batch = detail::leading(x.shape());
    return {spec_of(detail::joined(batch, {m, full ? m : k}), x.dtype(), x.device()), singular_values_of(x),
            spec_of(detail::joined(batch, {full ? n : k, n}), x.dtype(), x.device())};
  }
  Cost cost(const Tensor& x) const {
    const auto [u, s, vt] = result(x);
    return detail::matrix_cost(x, 4 * bidiagonal_flops(x), u.numel() + s.numel() + vt.numel());
  }
  void cpu(const Tensor& x, Tensor& u, Tensor& s, Tensor& vt) const {
    if (x.numel() == 0) return detail::identity_kernel(u), detail::identity_kernel(vt);
    refuse_failures(traits.name, x, detail::svd_kernel(contiguous(x), u, s, vt));
  }
  void cuda(const Tensor& x, Tensor& u, Tensor& s, Tensor& vt) const {
    if (detail::use_cusolver(x)) return refuse_failures(traits.name, x, detail::svd_cusolver(x, u, s, vt));
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(u), host.out(s), host.out(vt));
    host.finish();
  }

  // With Eᵢⱼ = sⱼ² - sᵢ²: U·(diag(ds) + (skew(Uᵀ·dU) / E)·S + S·(skew(Vᵀ·dV) / E))·Vᵀ, and what leaves the space of U
  // and V, if they are not square.
  Tensor gradient(GradAt<0> by_u, GradAt<1> by_s, GradAt<2> by_vt, OutputAt<0> u, OutputAt<1> s, OutputAt<2> vt) const {
    if (!by_u.defined() && !by_vt.defined()) {
      if (!by_s.defined()) return {};
      const std::int64_t k = s.shape().back();
      return matmul(narrow(u, -1, 0, k) * unsqueeze(by_s, -2), narrow(vt, -2, 0, k));
    }
    if (full && rows_of(u) != columns_of(vt))
      throw AutogradError(str("svd: full_matrices has no gradient by U and Vᵀ for matrices of ", rows_of(u), " by ",
                              columns_of(vt), ", because x does not determine all of their vectors; leave it off"));
    const Tensor column = unsqueeze(s, -1), row = unsqueeze(s, -2);
    const Tensor gaps = (row - column) * (row + column), differ = gaps != 0, divisor = where(differ, gaps, 1);
    const auto skew = [&](const Tensor& x) { return where(differ, (x - transposed(x)) / divisor, 0); };
    Tensor inner = by_s.defined() ? diag_embed(by_s) : Tensor(), left, right;
    const auto add = [](Tensor& sum, const Tensor& term) { sum = sum.defined() ? sum + term : term; };
    if (by_u.defined()) {
      const Tensor along = matmul(transposed(u), by_u);
      add(inner, skew(along) * row);
      if (rows_of(u) > columns_of(u)) left = (by_u - matmul(u, along)) / row;
    }
    if (by_vt.defined()) {
      const Tensor along = matmul(vt, transposed(by_vt));
      add(inner, column * skew(along));
      if (columns_of(vt) > rows_of(vt)) right = (by_vt - matmul(transposed(along), vt)) / column;
    }
    Tensor columns = matmul(u, inner);
    if (left.defined()) columns = columns + left;
    const Tensor result = matmul(columns, vt);
    return right.defined() ? result + matmul(u, right) : result;
  }
};

Tensor checked_matrices(const char* op, const Tensor& x) {
  detail::check_defined(op, x);
  Tensor given = detail::outside_autocast(x);
  detail::check_matrices(op, given);
  return given;
}

}  // namespace

SVD svd(const Tensor& x, bool full_matrices) {
  const Tensor given = checked_matrices("svd", x);
  const detail::WithoutAutocast guard;
  auto [u, s, vt] = apply(Singular{full_matrices && rows_of(given) != columns_of(given)}, given);
  return {std::move(u), std::move(s), std::move(vt)};
}

Tensor svdvals(const Tensor& x) {
  const Tensor given = checked_matrices("svdvals", x);
  const detail::WithoutAutocast guard;
  if (detail::mode().grad && given.requires_grad()) return apply(Singular{false}, given)[1];
  return apply(OnlySingularValues{}, given);
}

}  // namespace minima::linalg
