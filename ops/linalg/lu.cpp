#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/select.h>
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
#include <minima/tensor/device/capture.h>
#include <minima/tensor/transfer.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

namespace minima::linalg {

namespace {

using detail::columns_of, detail::rows_of, detail::transposed;

/// L [..., M, K] with its ones.
Tensor lower_factor(const Tensor& lu) {
  const std::int64_t k = std::min(rows_of(lu), columns_of(lu));
  return tril(narrow(lu, -1, 0, k), -1) + eye(rows_of(lu), k, {.dtype = lu.dtype(), .device = lu.device()});
}
/// U [..., K, N].
Tensor upper_factor(const Tensor& lu) { return triu(narrow(lu, -2, 0, std::min(rows_of(lu), columns_of(lu)))); }

/// For square factors: L⁻ᵀ·(tril₋₁(Lᵀ·dL) + triu(dU·Uᵀ))·U⁻ᵀ.
Tensor gradient_of_square(const Tensor& l, const Tensor& u, const Tensor& by_l, const Tensor& by_u) {
  const Tensor inner = tril(matmul(transposed(l), by_l), -1) + triu(matmul(by_u, transposed(u)));
  const Tensor half = solve_triangular(transposed(l), inner, {.upper = true, .unitriangular = true});
  return solve_triangular(transposed(u), half, {.left = false});
}

struct LuFactor {
  static constexpr Traits traits{.name = "lu_factor", .autocast = Cast::to_float32};

  std::array<TensorSpec, 2> result(const Tensor& x) const {
    detail::check_matrices(traits.name, x);
    const Shape pivots = detail::joined(detail::leading(x.shape()), {std::min(rows_of(x), columns_of(x))});
    return {spec_of(x.shape(), x.dtype(), x.device()), spec_of(pivots, DType::int64, x.device())};
  }
  Cost cost(const Tensor& x) const {
    const auto m = static_cast<double>(rows_of(x)), n = static_cast<double>(columns_of(x)), k = std::min(m, n);
    return detail::matrix_cost(x, 2 * k * (m * n - k * (m + n) / 2 + k * k / 3), x.numel());
  }
  void cpu(const Tensor& x, Tensor& lu, Tensor& pivots) const { detail::lu_kernel(contiguous(x), lu, pivots); }
  void cuda(const Tensor& x, Tensor& lu, Tensor& pivots) const {
    if (detail::use_cusolver(x)) return detail::lu_cusolver(x, lu, pivots);
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(lu), host.out(pivots));
    host.finish();
  }
  Tensor gradient(GradAt<0> g, OutputAt<0> lu, OutputAt<1> pivots) const {
    if (!g.defined()) return {};
    const std::int64_t m = rows_of(lu), n = columns_of(lu), k = std::min(m, n);
    const Tensor l = lower_factor(lu), u = upper_factor(lu);
    const Tensor by_l = tril(narrow(g, -1, 0, k), -1), by_u = triu(narrow(g, -2, 0, k));
    Tensor by_rows;
    if (m > k) {  // the rows below the square: L₂ = X₂·U⁻¹
      const Tensor below = narrow(l, -2, k, m - k), by_below = narrow(by_l, -2, k, m - k);
      const Tensor by_x = solve_triangular(transposed(u), by_below, {.left = false});
      const Tensor rest = triu(by_u - matmul(transposed(below), by_x));
      by_rows = cat({gradient_of_square(narrow(l, -2, 0, k), u, narrow(by_l, -2, 0, k), rest), by_x}, -2);
    } else if (n > k) {  // the columns beside it: U₂ = L⁻¹·X₂
      const Tensor beside = narrow(u, -1, k, n - k), by_beside = narrow(by_u, -1, k, n - k);
      const Tensor by_x = solve_triangular(transposed(l), by_beside, {.upper = true, .unitriangular = true});
      const Tensor rest = tril(by_l - matmul(by_x, transposed(beside)), -1);
      by_rows = cat({gradient_of_square(l, narrow(u, -1, 0, k), rest, narrow(by_u, -1, 0, k)), by_x}, -1);
    } else {
      by_rows = gradient_of_square(l, u, by_l, by_u);
    }
    return detail::permute_rows(by_rows, pivots, true);
  }
};

}  // namespace

LUFactors lu_factor(const Tensor& x) {
  auto [factors, pivots] = apply(LuFactor{}, x);
  return {std::move(factors), std::move(pivots)};
}

LU lu(const Tensor& x) {
  const auto given = [&] {
    detail::check_defined("lu", x);
    Tensor wide = detail::outside_autocast(x);
    detail::check_matrices("lu", wide);
    return wide;
  }();
  const detail::WithoutAutocast guard;
  return lu_unpack(lu_factor(given));
}

LU lu_unpack(const LUFactors& factors) {
  constexpr const char* op = "lu_unpack";
  detail::check_defined(op, factors.lu);
  detail::check_defined(op, factors.pivots, 1);
  const Tensor lu = detail::outside_autocast(factors.lu);
  const detail::WithoutAutocast guard;
  detail::check_matrices(op, lu);
  const Shape expected = detail::joined(detail::leading(lu.shape()), {std::min(rows_of(lu), columns_of(lu))});
  if (factors.pivots.shape() != expected || factors.pivots.dtype() != DType::int64)
    throw ShapeError(str(op, ": needs the pivots that lu_factor returned, int64 ", expected, ", got ", factors.pivots));
  const Tensor unit = eye(rows_of(lu), {.dtype = lu.dtype(), .device = lu.device()});
  return {detail::permute_rows(unit, factors.pivots, true), lower_factor(lu), upper_factor(lu)};
}

}  // namespace minima::linalg

namespace minima::detail {

namespace {

struct PermuteRows {
  static constexpr Traits traits{.name = "row_exchange"};
  bool back;

  TensorSpec result(const Tensor& x, const Tensor&) const { return spec_of(x.shape(), x.dtype(), x.device()); }
  Cost cost(const Tensor& x, const Tensor& pivots) const {
    return {.bytes = 2 * static_cast<double>(x.numel() * x.itemsize()) + 8 * static_cast<double>(pivots.numel())};
  }
  void cpu(const Tensor& x, const Tensor& pivots, Tensor& y) const {
    permute_rows_kernel(contiguous(x), checked(pivots, rows_of(x)), back, y);
  }
  void cuda(const Tensor& x, const Tensor& pivots, Tensor& y) const {
    refuse_captured(x.device(), traits.name);
    const Tensor swaps = checked(on_host(pivots), rows_of(x));
    if (y.numel() > 0) copy_values(take_along_dim(x, on_device(rows_after(swaps, x), x.device()), -2), y);
  }
  Gradients<2> gradient(Grad g, Input<1, 0> pivots) const { return {permute_rows(g, pivots, !back), Tensor()}; }

 private:
  static Tensor checked(const Tensor& pivots, std::int64_t rows) {
    Tensor swaps = contiguous(pivots);
    if (std::any_of(swaps.data<std::int64_t>(), swaps.data<std::int64_t>() + swaps.numel(),
                    [=](std::int64_t pivot) { return pivot < 1 || pivot > rows; }))
      throw ValueError(str("lu_solve: pivots must be between 1 and ", rows, ", but ", swaps, " has others"));
    return swaps;
  }

  /// Returns which row of x each row of the result is, [..., M, 1], for pivots on the CPU.
  Tensor rows_after(const Tensor& swaps, const Tensor& x) const {
    const std::int64_t rows = rows_of(x), steps = swaps.shape().back();
    Tensor index = empty(joined(leading(x.shape()), {rows, 1}), {.dtype = DType::int64});
    for (std::int64_t i = 0; i < count_matrices(x); ++i) {
      std::int64_t* const own = index.data<std::int64_t>() + i * rows;
      std::iota(own, own + rows, 0);
      for (std::int64_t step = 0; step < steps; ++step) {
        const std::int64_t k = back ? steps - 1 - step : step;
        std::swap(own[k], own[swaps.data<std::int64_t>()[i * steps + k] - 1]);
      }
    }
    return index;
  }
};

}  // namespace

Tensor permute_rows(const Tensor& x, const Tensor& pivots, bool back) {
  const Shape batch = broadcast(leading(x.shape()), leading(pivots.shape(), 1), "permute_rows");
  return apply(PermuteRows{back}, expand_batch(x, batch), expand(pivots, joined(batch, {pivots.shape().back()})));
}

}  // namespace minima::detail
