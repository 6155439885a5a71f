#include <minima/ops/linalg/powers.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/cusolver/cusolver.h>
#include <minima/ops/linalg/factorisations.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/solves.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/split.h>
#include <minima/ops/view/view.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace minima::linalg {

namespace {

using detail::rows_of, detail::transposed;

struct Exponential {
  static constexpr Traits traits{.name = "matrix_exp", .autocast = Cast::to_float32};

  TensorSpec result(const Tensor& x) const {
    detail::check_square(traits.name, x);
    return spec_of(x.shape(), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const {
    return detail::matrix_cost(x, 20 * std::pow(static_cast<double>(rows_of(x)), 3), x.numel());
  }
  void cpu(const Tensor& x, Tensor& y) const { detail::matrix_exp_kernel(contiguous(x), y); }
  void cuda(const Tensor& x, Tensor& y) const {
    if (detail::use_cusolver(x)) return detail::matrix_exp_cusolver(x, y);
    detail::HostCall host(traits.name, x);
    cpu(host.in(x), host.out(y));
    host.finish();
  }
  // The derivative in the direction dY is a block of the exponential of [[Xᵀ, dY], [0, Xᵀ]].
  Tensor gradient(Grad g, Input<0> x) const {
    const Tensor xt = transposed(x), zero = expand(zeros({}, {.dtype = x.dtype(), .device = x.device()}), x.shape());
    const std::int64_t n = rows_of(x);
    const Tensor both = apply(Exponential{}, cat({cat({xt, g}, -1), cat({zero, xt}, -1)}, -2));
    return narrow(narrow(both, -2, 0, n), -1, n, n);
  }
};

struct SquareRoot {
  static constexpr Traits traits{.name = "matrix_sqrth", .autocast = Cast::to_float32};

  TensorSpec result(const Tensor& x) const {
    detail::check_square(traits.name, x);
    return spec_of(x.shape(), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const {
    return detail::matrix_cost(x, 11 * std::pow(static_cast<double>(rows_of(x)), 3), x.numel());
  }
  void cpu(const Tensor& x, Tensor& y) const { compute(x, y); }
  void cuda(const Tensor& x, Tensor& y) const { compute(x, y); }
  // √x·dy + dy·√x = dx: in the basis of the eigenvectors, a division by sums of roots.
  Tensor gradient(Grad g, Input<0> x) const {
    const auto [values, v] = eigh(x);
    const Tensor roots = sqrt(values), sums = unsqueeze(roots, -2) + unsqueeze(roots, -1);
    const Tensor inner = matmul(transposed(v), matmul((g + transposed(g)) * 0.5, v)) / sums;
    return matmul(v, matmul(inner, transposed(v)));
  }

 private:
  static void compute(const Tensor& x, Tensor& y) {
    const auto [values, v] = eigh(x);
    detail::copy_values(matmul(v * unsqueeze(sqrt(values), -2), transposed(v)), y);
  }
};

/// Where to split the product of the matrices first … last, for each pair; the costs are counted in multiplications.
std::vector<std::vector<std::size_t>> best_splits(const std::vector<std::int64_t>& sizes) {
  const std::size_t count = sizes.size() - 1;
  std::vector<std::vector<double>> cost(count, std::vector<double>(count, 0));
  std::vector<std::vector<std::size_t>> split(count, std::vector<std::size_t>(count, 0));
  for (std::size_t length = 1; length < count; ++length)
    for (std::size_t first = 0; first + length < count; ++first) {
      const std::size_t last = first + length;
      cost[first][last] = std::numeric_limits<double>::infinity();
      for (std::size_t middle = first; middle < last; ++middle) {
        const double total = cost[first][middle] + cost[middle + 1][last] +
                             static_cast<double>(sizes[first]) * static_cast<double>(sizes[middle + 1]) *
                                 static_cast<double>(sizes[last + 1]);
        if (total < cost[first][last]) cost[first][last] = total, split[first][last] = middle;
      }
    }
  return split;
}

Tensor multiply(std::span<const Tensor> matrices, const std::vector<std::vector<std::size_t>>& split, std::size_t first,
                std::size_t last) {
  if (first == last) return matrices[first];
  const std::size_t middle = split[first][last];
  return matmul(multiply(matrices, split, first, middle), multiply(matrices, split, middle + 1, last));
}

}  // namespace

Tensor matrix_exp(const Tensor& x) { return apply(Exponential{}, x); }
Tensor matrix_sqrth(const Tensor& x) { return apply(SquareRoot{}, x); }

Tensor matrix_power(const Tensor& x, std::int64_t n) {
  constexpr const char* op = "matrix_power";
  detail::check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs floating matrices, got ", x, "; convert them with to()"));
  if (x.rank() < 2 || rows_of(x) != detail::columns_of(x))
    throw ShapeError(str(op, ": needs square matrices [..., N, N], got ", x));
  if (n < 0) {
    const Tensor given = detail::outside_autocast(x);
    detail::check_square(op, given);
    if (n == INT64_MIN) throw ValueError(str(op, ": n must be at least -2⁶³ + 1, got ", n));
    return matrix_power(inv(given), -n);
  }
  if (n == 0) return expand(eye(rows_of(x), {.dtype = x.dtype(), .device = x.device()}), x.shape()) + x * 0;
  Tensor result, square = x;
  for (std::int64_t rest = n; rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = result.defined() ? matmul(result, square) : square;
    if (rest > 1) square = matmul(square, square);
  }
  return n == 1 ? clone(result) : result;
}

Tensor multi_dot(std::span<const Tensor> matrices) {
  constexpr const char* op = "multi_dot";
  if (matrices.size() < 2) throw ValueError(str(op, ": needs at least two matrices, got ", matrices.size()));
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    detail::check_defined(op, matrices[i], static_cast<int>(i));
    const bool is_end = i == 0 || i + 1 == matrices.size();
    if (!is_floating(matrices[i].dtype()) || matrices[i].dtype() != matrices[0].dtype())
      throw DTypeError(str(op, ": needs floating matrices of one dtype, got ", matrices[0], " and ", matrices[i]));
    if (matrices[i].rank() != 2 && !(is_end && matrices[i].rank() == 1))
      throw ShapeError(str(op, ": needs matrices, or vectors at the ends, got ", matrices[i], " at place ", i));
  }
  std::vector<Tensor> all(matrices.begin(), matrices.end());
  const bool is_row = all.front().rank() == 1, is_column = all.back().rank() == 1;
  if (is_row) all.front() = unsqueeze(all.front(), 0);
  if (is_column) all.back() = unsqueeze(all.back(), 1);
  std::vector<std::int64_t> sizes{rows_of(all.front())};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (rows_of(all[i]) != sizes.back())
      throw ShapeError(str(op, ": inner sizes differ: ", matrices[i - 1], " and ", matrices[i]));
    sizes.push_back(detail::columns_of(all[i]));
  }
  Tensor y = multiply(all, best_splits(sizes), 0, all.size() - 1);
  if (is_column) y = squeeze(y, 1);
  return is_row ? squeeze(y, 0) : y;
}

}  // namespace minima::linalg
