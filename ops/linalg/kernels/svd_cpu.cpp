#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/bidiagonal.h>
#include <minima/ops/linalg/kernels/dense.h>
#include <minima/ops/linalg/kernels/each_matrix.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/kernels/rotations.h>
#include <minima/tensor/tensor.h>

#include <Eigen/SVD>  // IWYU pragma: keep

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace minima::detail {

namespace {

/// Where the results of a matrix go; u and vt may be undefined.
struct SvdResults {
  const Tensor &u, &s, &vt;
};

/// Returns false for matrices that are not finite, or if the steps do not converge.
template <class T>
bool decompose(const Tensor& x, const SvdResults& to, std::int64_t i) {
  const bool is_tall = rows_of(x) >= columns_of(x), has_vectors = to.u.defined();
  ColumnMajor<T> tall;
  if (is_tall) tall = eigen_map<T>(x, i);
  else tall = eigen_map<T>(x, i).transpose();
  if (!tall.allFinite()) return false;
  const T largest = tall.cwiseAbs().maxCoeff(), scale = largest == 0 ? T(1) : largest;
  tall /= scale;
  Eigen::internal::UpperBidiagonalization<ColumnMajor<T>> bidiagonal(tall);
  auto band = bidiagonal.bidiagonal();  // a copy: the diagonals of a constant one do not compile
  const Eigen::Index k = tall.cols();
  std::vector<T> diagonal(static_cast<std::size_t>(k)), superdiagonal(static_cast<std::size_t>(k - 1));
  for (Eigen::Index j = 0; j < k; ++j) diagonal[static_cast<std::size_t>(j)] = band.diagonal()(j);
  for (Eigen::Index j = 0; j + 1 < k; ++j) superdiagonal[static_cast<std::size_t>(j)] = band.template diagonal<1>()(j);

  std::optional<RotatedColumns<T>> left, right;
  if (has_vectors) {
    auto of_left = left.emplace(tall.rows(), is_tall ? columns_of(to.u) : rows_of(to.vt)).matrix();
    of_left.setIdentity();
    bidiagonal.householderU().applyThisOnTheLeft(of_left);
    auto of_right = right.emplace(k, k).matrix();
    of_right.setIdentity();
    bidiagonal.householderV().applyThisOnTheLeft(of_right);
  }
  if (!diagonalise_bidiagonal<T>(diagonal, superdiagonal, left ? left->vectors() : Dense<T>(),
                                 right ? right->vectors() : Dense<T>()))
    return false;

  const auto order = order_of(diagonal, [](T a, T b) { return std::abs(a) > std::abs(b); });
  const auto value_of = [&](std::int64_t j) { return diagonal[static_cast<std::size_t>(j)]; };
  T* const s = to.s.data<T>() + i * k;
  for (Eigen::Index j = 0; j < k; ++j) s[j] = std::abs(value_of(order[static_cast<std::size_t>(j)])) * scale;
  if (!has_vectors) return true;
  auto u = eigen_map<T>(to.u, i), vt = eigen_map<T>(to.vt, i);
  const auto put = [&](const RotatedColumns<T>& from, bool is_u, bool signs) {
    const auto columns = from.matrix();
    for (Eigen::Index j = 0; j < columns.cols(); ++j) {
      const Eigen::Index at = j < k ? order[static_cast<std::size_t>(j)] : j;
      const T sign = signs && j < k && value_of(at) < 0 ? T(-1) : T(1);
      if (is_u) u.col(j) = sign * columns.col(at);
      else vt.row(j) = sign * columns.col(at).transpose();
    }
  };
  put(*left, is_tall, true);
  put(*right, !is_tall, false);
  return true;
}

}  // namespace

Findings svd_kernel(const Tensor& x, Tensor& u, Tensor& s, Tensor& vt) {
  Findings findings(static_cast<std::size_t>(count_filled(x)));
  const auto m = static_cast<double>(rows_of(x)), n = static_cast<double>(columns_of(x));
  for_dtype(x, [&]<class T> {
    if (x.numel() > 0) {
      each_matrix(count_filled(x), 20 * m * n * std::min(m, n),
                  [&](std::int64_t i) { findings[static_cast<std::size_t>(i)] = !decompose<T>(x, {u, s, vt}, i); });
    } else {
      each_matrix(count_filled(u), m * m, [&](std::int64_t i) { eigen_map<T>(u, i).setIdentity(); });
      each_matrix(count_filled(vt), n * n, [&](std::int64_t i) { eigen_map<T>(vt, i).setIdentity(); });
    }
  });
  return findings;
}

Findings svdvals_kernel(const Tensor& x, Tensor& s) {
  Findings findings(static_cast<std::size_t>(count_filled(x)));
  const auto m = static_cast<double>(rows_of(x)), n = static_cast<double>(columns_of(x));
  for_dtype(x, [&]<class T> {
    each_matrix(count_filled(x), 10 * m * n * std::min(m, n), [&](std::int64_t i) {
      findings[static_cast<std::size_t>(i)] = !decompose<T>(x, {Tensor(), s, Tensor()}, i);
    });
  });
  return findings;
}

}  // namespace minima::detail
