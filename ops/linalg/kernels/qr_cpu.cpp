#include <minima/ops/linalg/kernels/each_matrix.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>

#include <Eigen/QR>  // IWYU pragma: keep

#include <algorithm>
#include <cstdint>

namespace minima::detail {

namespace {

template <class T>
void factor_qr(const Tensor& x, Tensor& q, Tensor& r, std::int64_t i) {
  const Eigen::HouseholderQR<ColumnMajor<T>> qr(eigen_map<T>(x, i));
  auto upper = eigen_map<T>(r, i);
  upper.setZero();
  const std::int64_t rows = std::min(rows_of(x), rows_of(r));
  upper.topRows(rows) = qr.matrixQR().topRows(rows).template triangularView<Eigen::Upper>();
  if (!q.defined()) return;
  ColumnMajor<T> columns = ColumnMajor<T>::Identity(rows_of(q), columns_of(q));
  columns.applyOnTheLeft(qr.householderQ());
  eigen_map<T>(q, i) = columns;
}

}  // namespace

void qr_kernel(const Tensor& x, Tensor& q, Tensor& r) {
  const auto m = static_cast<double>(rows_of(x)), n = static_cast<double>(columns_of(x));
  for_dtype(x, [&]<class T> {
    if (x.numel() > 0) {
      each_matrix(count_filled(x), 4 * m * n * std::min(m, n), [&](std::int64_t i) { factor_qr<T>(x, q, r, i); });
    } else if (q.defined()) {  // the identity, as far as there is any
      each_matrix(count_filled(q), m * m, [&](std::int64_t i) { eigen_map<T>(q, i).setIdentity(); });
    }
  });
}

void geqrf_kernel(const Tensor& x, Tensor& reflections, Tensor& tau) {
  const auto m = static_cast<double>(rows_of(x)), n = static_cast<double>(columns_of(x));
  const std::int64_t k = std::min(rows_of(x), columns_of(x));
  for_dtype(x, [&]<class T> {
    each_matrix(count_filled(x), 2 * m * n * std::min(m, n), [&](std::int64_t i) {
      const Eigen::HouseholderQR<ColumnMajor<T>> qr(eigen_map<T>(x, i));
      eigen_map<T>(reflections, i) = qr.matrixQR();
      Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(tau.data<T>() + i * k, k) = qr.hCoeffs();
    });
  });
}

}  // namespace minima::detail
