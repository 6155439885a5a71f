#include <minima/ops/complex/kernels.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/product/kernels.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/complex/parts.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <Eigen/Core>  // IWYU pragma: keep

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

/// Each row of b, [..., K, N], followed by i times itself: real, [..., 2K, 2N].
template <class T> Tensor rows_and_turned(const Tensor& b) {
  Shape shape = b.shape();
  const std::int64_t n = shape.back(), width = 2 * n;
  shape[b.rank() - 2] *= 2, shape[b.rank() - 1] *= 2;
  const Tensor rows = empty(shape, {.dtype = dtype_of<T>});
  const auto* const from = static_cast<const T*>(b.raw_data());
  auto* const to = static_cast<T*>(rows.raw_data());
  minima::parallel_for(0, b.numel() / n, grain_for(static_cast<double>(n)), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const T* row = from + i * width;
      T *same = to + 2 * i * width, *turned = same + width;
      for (std::int64_t k = 0; k < width; k += 2) {
        same[k] = row[k], same[k + 1] = row[k + 1];
        turned[k] = -row[k + 1], turned[k + 1] = row[k];
      }
    }
  });
  return rows;
}

}  // namespace

void complex_products_cpu(const Tensor& a, const Tensor& b, const Tensor& y) {
  Shape numbers = a.shape();
  numbers[a.rank() - 1] *= 2;
  const bool is_float = y.dtype() == DType::complex64;
  const Tensor right = is_float ? rows_and_turned<float>(contiguous(b)) : rows_and_turned<double>(contiguous(b));
  matmul_kernel(reshape(parts_of(contiguous(a)), numbers), right, parts_of(y));
}

void small_complex_products_cpu(const Tensor& a, const Tensor& b, const Tensor& y) {
  if (y.dtype() == DType::complex64) multiply<float>(a, b, y);
  else multiply<double>(a, b, y);
}

}  // namespace minima::detail
