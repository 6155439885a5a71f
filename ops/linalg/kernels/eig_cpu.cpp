#include <minima/ops/linalg/kernels/each_matrix.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/tensor/base/complex.h>

#include <Eigen/Eigenvalues>  // IWYU pragma: keep

#include <cstdint>

namespace minima::detail {

Findings eig_kernel(const Tensor& x, Tensor& values, Tensor& vectors) {
  Findings findings(static_cast<std::size_t>(count_filled(x)));
  const std::int64_t n = rows_of(x);
  const auto size = static_cast<double>(n);
  for_dtype(x, [&]<class T> {
    each_matrix(count_filled(x), 25 * size * size * size, [&](std::int64_t i) {
      // Also float32 matrices in float64: each form of the solver takes twenty seconds to compile.
      const ColumnMajor<double> matrix = eigen_map<T>(x, i).template cast<double>();
      Eigen::EigenSolver<ColumnMajor<double>> solver;
      const bool finite = matrix.allFinite();
      if (finite) solver.compute(matrix, vectors.defined());
      findings[static_cast<std::size_t>(i)] = !finite || solver.info() != Eigen::Success;
      if (findings[static_cast<std::size_t>(i)]) return;
      for (std::int64_t k = 0; k < n; ++k) values.data<Complex<T>>()[i * n + k] = solver.eigenvalues()(k);
      if (!vectors.defined()) return;
      const auto columns = solver.eigenvectors();
      for (std::int64_t k = 0; k < n * n; ++k) vectors.data<Complex<T>>()[i * n * n + k] = columns(k / n, k % n);
    });
  });
  return findings;
}

}  // namespace minima::detail
