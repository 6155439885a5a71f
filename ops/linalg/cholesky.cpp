#include <minima/ops/arrange/arrange.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/linalg/cusolver/cusolver.h>
#include <minima/ops/linalg/factorisations.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/solves.h>
#include <minima/ops/matmul/matmul.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>

#include <cmath>
#include <cstdint>

namespace minima::linalg {

namespace {

using detail::transposed;

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
  static void refuse_failures(const Tensor& x, const detail::Findings& findings) {
    if (const std::int64_t failed = detail::first_failure(findings); failed >= 0)
      throw ValueError(str(traits.name, ": ", detail::name_matrix(x, failed),
                           " is not positive definite: its leading minor of order ",
                           findings[static_cast<std::size_t>(failed)], " is not positive"));
  }
  void cuda(const Tensor& x, Tensor& y) const {
    if (detail::use_cusolver(x)) return refuse_failures(x, detail::cholesky_cusolver(x, upper, y));
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(y));
    host.finish();
  }
  // S = L⁻ᵀ·Φ(Lᵀ·dL)·L⁻¹, where Φ takes the lower triangle with half the diagonal; dx is its symmetric part.
  Tensor gradient(Grad g, Output y) const {
    const Tensor l = upper ? transposed(y) : Tensor(y), by_l = tril(upper ? transposed(g) : Tensor(g));
    const Tensor product = matmul(transposed(l), by_l);
    const Tensor phi = (tril(product) + tril(product, -1)) * 0.5;
    const Tensor half = solve_triangular(transposed(l), phi, {.upper = true});
    const Tensor whole = solve_triangular(l, half, {.left = false});
    return (whole + transposed(whole)) * 0.5;
  }
};

}  // namespace

Tensor cholesky(const Tensor& x, bool upper) { return apply(Cholesky{upper}, x); }

}  // namespace minima::linalg
