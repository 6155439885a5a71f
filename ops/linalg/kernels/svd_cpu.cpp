#include <minima/ops/linalg/kernels/band.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/bidiagonal.h>
#include <minima/ops/linalg/kernels/dense.h>
#include <minima/ops/linalg/kernels/each_matrix.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/kernels/reflections.h>
#include <minima/ops/linalg/kernels/rotations.h>
#include <minima/tensor/tensor.h>

#include <Eigen/Core>  // IWYU pragma: keep

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
  const auto given = eigen_map<T>(x, i);
  const Eigen::Index m = std::max(given.rows(), given.cols()), k = std::min(given.rows(), given.cols());
  Scratch<T> memory(m, k);
  memory.clear();
  auto tall = map_of(memory.matrix());
  if (is_tall) tall = given;
  else tall = given.transpose();
  if (!tall.allFinite()) return false;
  const T largest = tall.cwiseAbs().maxCoeff(), scale = largest == 0 ? T(1) : largest;
  tall /= scale;
  std::vector<T> diagonal(static_cast<std::size_t>(k)), superdiagonal(static_cast<std::size_t>(k - 1));
  Reflections<T> of_left(k, m, 0), of_right(k - 1, k, 1);
  reduce_to_bidiagonal(memory.matrix(), diagonal.data(), superdiagonal.data(), of_left, of_right);

  // Their rows are the left and right singular vectors of the tall matrix.
  std::optional<Scratch<T>> left, right;
  if (has_vectors) {
    of_left.write_transposed(left.emplace(is_tall ? columns_of(to.u) : rows_of(to.vt), m).matrix());
    of_right.write_transposed(right.emplace(k, k).matrix());
  }
  if (!diagonalise_bidiagonal<T>(diagonal, superdiagonal, left ? left->matrix() : Dense<T>(),
                                 right ? right->matrix() : Dense<T>()))
    return false;

  auto order = order_of(diagonal, [](T a, T b) { return std::abs(a) > std::abs(b); });
  const auto value_of = [&](std::int64_t j) { return diagonal[static_cast<std::size_t>(j)]; };
  T* const s = to.s.data<T>() + i * k;
  for (Eigen::Index j = 0; j < k; ++j) s[j] = std::abs(value_of(order[static_cast<std::size_t>(j)])) * scale;
  if (!has_vectors) return true;
  for (Eigen::Index j = 0; j < k; ++j)
    if (value_of(j) < 0) map_of(left->matrix()).row(j) *= T(-1);
  const auto put = [&](Dense<T> rows, bool into_u) {
    const Tensor& result = into_u ? to.u : to.vt;
    const std::int64_t height = rows_of(result), width = columns_of(result);
    for (auto j = static_cast<std::int64_t>(order.size()); j < rows.rows; ++j) order.push_back(j);
    write_in_order<T>(rows, order, {result.data<T>() + i * height * width, height, width, width}, into_u);
  };
  put(right->matrix(), !is_tall);
  put(left->matrix(), is_tall);
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
