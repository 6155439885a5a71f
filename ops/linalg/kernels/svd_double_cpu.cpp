#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/kernels/svd_eigen.h>

#include <cstdint>

namespace minima::detail {

template <>
bool factor_svd<double>(const Tensor& x, Tensor& u, Tensor& s, Tensor& vt, std::int64_t i) {
  return factor_svd_by_eigen<double>(x, u, s, vt, i);
}

}  // namespace minima::detail
