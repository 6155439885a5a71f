#include <minima/ops/copy/copy.h>
#include <minima/ops/linalg/factorisations.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/solves.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/transfer.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace minima::linalg {

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
