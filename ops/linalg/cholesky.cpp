#include <minima/ops/copy/copy.h>
#include <minima/ops/linalg/cusolver/cusolver.h>
#include <minima/ops/linalg/factorisations.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/solves.h>
#include <minima/ops/linalg/unchecked.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/diagonal.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/transfer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace minima::linalg {

namespace {

using detail::transposed;

/// S = L⁻ᵀ·Φ(Lᵀ·dL)·L⁻¹, where Φ takes the lower triangle with half the diagonal; dx is its symmetric part.
Tensor gradient_by_factor(const Tensor& g, const Tensor& y, bool upper) {
  const Tensor l = upper ? transposed(y) : y, by_l = tril(upper ? transposed(g) : g);
  const Tensor product = matmul(transposed(l), by_l);
  const Tensor phi = (tril(product) + tril(product, -1)) * 0.5;
  const Tensor half = solve_triangular(transposed(l), phi, {.upper = true});
  const Tensor whole = solve_triangular(l, half, {.left = false});
  return (whole + transposed(whole)) * 0.5;
}

struct Cholesky {
  static constexpr Traits traits{.name = "cholesky", .autocast = Cast::to_float32};
  bool upper;

  TensorSpec result(const Tensor& x) const {
    detail::check_square(traits.name, x);
    return spec_of(x.shape(), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const {
    return detail::matrix_cost(x, std::pow(static_cast<double>(detail::rows_of(x)), 3) / 3, x.numel());
  }
  void cpu(const Tensor& x, Tensor& y) const { refuse_failures(x, detail::cholesky_kernel(contiguous(x), upper, y)); }
  static void refuse_failures(const Tensor& x, const detail::Infos& infos) {
    if (const std::int64_t failed = detail::first_failure(infos); failed >= 0)
      throw ValueError(str(traits.name, ": ", detail::name_matrix(x, failed),
                           " is not positive definite: its leading minor of order ",
                           infos[static_cast<std::size_t>(failed)], " is not positive"));
  }
  void cuda(const Tensor& x, Tensor& y) const {
    if (detail::use_cusolver(x)) return refuse_failures(x, detail::cholesky_cusolver(x, upper, y));
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(y));
    host.finish();
  }
  Tensor gradient(Grad g, Output y) const { return gradient_by_factor(g, y, upper); }
};

/// The same with what was found, instead of errors.
struct CholeskyEx {
  static constexpr Traits traits{.name = "cholesky_ex", .autocast = Cast::to_float32};
  bool upper;

  std::array<TensorSpec, 2> result(const Tensor& x) const {
    detail::check_square(traits.name, x);
    return {spec_of(x.shape(), x.dtype(), x.device()), spec_of(detail::leading(x.shape()), DType::int32, x.device())};
  }
  Cost cost(const Tensor& x) const { return Cholesky{upper}.cost(x); }
  void cpu(const Tensor& x, Tensor& y, Tensor& info) const {
    write(detail::cholesky_kernel(contiguous(x), upper, y), info);
  }
  void cuda(const Tensor& x, Tensor& y, Tensor& info) const {
    if (detail::use_cusolver(x)) {
      Tensor found = empty(info.shape(), {.dtype = DType::int32});
      write(detail::cholesky_cusolver(x, upper, y), found);
      return detail::copy_values(detail::on_device(found, info.device()), info);
    }
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(y), host.out(info));
    host.finish();
  }
  Tensor gradient(GradAt<0> g, OutputAt<0> y) const { return g.defined() ? gradient_by_factor(g, y, upper) : Tensor(); }

 private:
  static void write(const detail::Infos& infos, Tensor& info) {
    std::fill_n(info.data<std::int32_t>(), info.numel(), 0);  // empty matrices have no info
    for (std::size_t i = 0; i < infos.size(); ++i) info.data<std::int32_t>()[i] = static_cast<std::int32_t>(infos[i]);
  }
};

}  // namespace

Tensor cholesky(const Tensor& x, bool upper) { return apply(Cholesky{upper}, x); }

CholeskyInfo cholesky_ex(const Tensor& x, bool upper) {
  auto [factor, info] = apply(CholeskyEx{upper}, x);
  return {std::move(factor), std::move(info)};
}

namespace {

using detail::columns_of, detail::rows_of;

struct LdlFactor {
  static constexpr Traits traits{.name = "ldl_factor", .autocast = Cast::to_float32};

  std::array<TensorSpec, 2> result(const Tensor& x) const {
    detail::check_square(traits.name, x);
    const Shape pivots = detail::joined(detail::leading(x.shape()), {rows_of(x)});
    return {spec_of(x.shape(), x.dtype(), x.device()), spec_of(pivots, DType::int64, x.device())};
  }
  Cost cost(const Tensor& x) const {
    return detail::matrix_cost(x, std::pow(static_cast<double>(rows_of(x)), 3) / 3, x.numel());
  }
  void cpu(const Tensor& x, Tensor& ld, Tensor& pivots) const { detail::ldl_kernel(contiguous(x), ld, pivots); }
  void cuda(const Tensor& x, Tensor& ld, Tensor& pivots) const {
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(ld), host.out(pivots));
    host.finish();
  }
};

/// X with P·L·D·Lᵀ·Pᵀ·X = B; all have the same batch.
struct LdlSolve {
  static constexpr Traits traits{.name = "ldl_solve"};

  TensorSpec result(const Tensor&, const Tensor&, const Tensor& b) const {
    return spec_of(b.shape(), b.dtype(), b.device());
  }
  Cost cost(const Tensor& ld, const Tensor&, const Tensor& b) const {
    const auto n = static_cast<double>(rows_of(ld));
    return detail::matrix_cost(ld, 2 * n * n * static_cast<double>(columns_of(b)), 2 * b.numel());
  }
  void cpu(const Tensor& ld, const Tensor& pivots, const Tensor& b, Tensor& x) const {
    const Tensor rows = contiguous(pivots);
    check_pivots(rows);
    detail::ldl_solve_kernel(contiguous(ld), rows, contiguous(b), x);
  }
  void cuda(const Tensor& ld, const Tensor& pivots, const Tensor& b, Tensor& x) const {
    detail::HostCall host(traits.name, ld);
    cpu(host.in(ld), host.in(pivots), host.in(b), host.out(x));
    host.finish();
  }
  Gradients<3> gradient(Grad g, Input<0> ld, Input<1> pivots, Needs) const {
    return {Tensor(), Tensor(), apply(LdlSolve{}, ld, pivots, g)};
  }

 private:
  static void check_pivots(const Tensor& pivots) {
    const std::int64_t n = pivots.shape().back();
    const auto* const first = pivots.data<std::int64_t>();
    for (std::int64_t i = 0; i < pivots.numel();) {
      const std::int64_t size = first[i] > 0 ? 1 : 2;
      const bool whole = i % n + size <= n && first[i + size - 1] == first[i];
      if (!whole || first[i] == 0 || std::abs(first[i]) > n)
        throw ValueError(str(traits.name, ": needs the pivots that ldl_factor returned, got ", pivots));
      i += size;
    }
  }
};

}  // namespace

LDLFactors ldl_factor(const Tensor& x) {
  auto [ld, pivots] = apply(LdlFactor{}, x);
  return {std::move(ld), std::move(pivots)};
}

Tensor ldl_solve(const LDLFactors& factors, const Tensor& b) {
  constexpr const char* op = LdlSolve::traits.name;
  detail::check_defined(op, factors.ld);
  detail::check_defined(op, factors.pivots, 1);
  detail::check_defined(op, b, 2);
  const Tensor ld = detail::outside_autocast(factors.ld.detach()), given = detail::outside_autocast(b);
  const detail::WithoutAutocast guard;
  detail::check_square(op, ld);
  detail::check_matrices(op, given, 2);
  detail::check_same_dtype(op, ld, given);
  const Shape expected = detail::joined(detail::leading(ld.shape()), {rows_of(ld)});
  if (factors.pivots.shape() != expected || factors.pivots.dtype() != DType::int64)
    throw ShapeError(
        str(op, ": needs the pivots that ldl_factor returned, int64 ", expected, ", got ", factors.pivots));
  if (rows_of(given) != rows_of(ld))
    throw ShapeError(str(op, ": needs factors [..., N, N] and b [..., N, K], got ", ld, " and ", given));
  const Shape batch = broadcast(detail::leading(ld.shape()), detail::leading(given.shape()), op);
  return apply(LdlSolve{}, detail::expand_batch(ld, batch),
               expand(factors.pivots, detail::joined(batch, {rows_of(ld)})), detail::expand_batch(given, batch));
}

}  // namespace minima::linalg
