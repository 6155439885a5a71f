#include <minima/ops/linalg/kernels/band.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/dense.h>
#include <minima/ops/linalg/kernels/each_matrix.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/kernels/reflections.h>
#include <minima/ops/linalg/kernels/rotations.h>
#include <minima/ops/linalg/kernels/tridiagonal.h>
#include <minima/tensor/tensor.h>

#include <Eigen/Core>  // IWYU pragma: keep

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace minima::detail {

namespace {

/// Returns false for matrices that are not finite, or if the steps do not converge. `vectors` may be undefined.
template <class T>
bool decompose(const Tensor& x, bool upper, const Tensor& values, const Tensor& vectors, std::int64_t i) {
  const auto given = eigen_map<T>(x, i);
  const Eigen::Index n = given.rows();
  Scratch<T> memory(n, n);
  memory.clear();
  auto symmetric = map_of(memory.matrix());
  if (upper) symmetric = given.template selfadjointView<Eigen::Upper>();
  else symmetric = given.template selfadjointView<Eigen::Lower>();
  if (!symmetric.allFinite()) return false;
  const T largest = symmetric.cwiseAbs().maxCoeff(), scale = largest == 0 ? T(1) : largest;
  symmetric /= scale;
  std::vector<T> diagonal(static_cast<std::size_t>(n)), off_diagonal(static_cast<std::size_t>(n - 1));
  Reflections<T> reflections(n - 1, n, 1);
  reduce_to_tridiagonal(memory.matrix(), diagonal.data(), off_diagonal.data(), reflections);
  const Dense<T> basis = vectors.defined() ? memory.matrix() : Dense<T>();  // its rows
  if (vectors.defined()) reflections.write_transposed(basis);
  if (!diagonalise_tridiagonal<T>(diagonal, off_diagonal, basis)) return false;
  const auto order = order_of(diagonal, std::less<>());
  for (Eigen::Index j = 0; j < n; ++j)
    values.data<T>()[i * n + j] = diagonal[static_cast<std::size_t>(order[static_cast<std::size_t>(j)])] * scale;
  if (vectors.defined()) write_in_order<T>(basis, order, {vectors.data<T>() + i * n * n, n, n, n}, true);
  return true;
}

}  // namespace

Findings eigh_kernel(const Tensor& x, bool upper, Tensor& values, Tensor& vectors) {
  Findings findings(static_cast<std::size_t>(count_filled(x)));
  const auto size = static_cast<double>(rows_of(x));
  for_dtype(x, [&]<class T> {
    each_matrix(count_filled(x), 9 * size * size * size, [&](std::int64_t i) {
      findings[static_cast<std::size_t>(i)] = !decompose<T>(x, upper, values, vectors, i);
    });
  });
  return findings;
}

}  // namespace minima::detail
