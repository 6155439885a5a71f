#include <minima/ops/complex/complex_kernels.h>

#include <minima/tensor/base/complex.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <Eigen/Core>

#include <complex>
#include <cstdint>

namespace minima::detail {

namespace {

template <class T> void multiply(const Tensor& a, const Tensor& b, const Tensor& y) {
  using Element = std::complex<T>;
  using Matrix = Eigen::Matrix<Element, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const std::int64_t batch = a.shape()[0], m = a.shape()[1], k = a.shape()[2], n = b.shape()[2];
  const auto* const left = static_cast<const Element*>(a.raw_data());
  const auto* const right = static_cast<const Element*>(b.raw_data());
  auto* const to = static_cast<Element*>(y.raw_data());
  minima::parallel_for(0, batch, grain_for(100 + 0.1 * static_cast<double>(m * n * k)),
                       [&](std::int64_t first, std::int64_t last) {
                         for (std::int64_t i = first; i < last; ++i) {
                           const Eigen::Map<const Matrix> by(left + i * m * k, m, k), of(right + i * k * n, k, n);
                           Eigen::Map<Matrix>(to + i * m * n, m, n).noalias() = by * of;
                         }
                       });
}

}  // namespace

void small_complex_products_cpu(const Tensor& a, const Tensor& b, const Tensor& y) {
  if (y.dtype() == DType::complex64) multiply<float>(a, b, y);
  else multiply<double>(a, b, y);
}

}  // namespace minima::detail
