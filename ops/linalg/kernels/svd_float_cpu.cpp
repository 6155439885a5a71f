#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/kernels/svd_eigen.h>

#include <cstdint>

namespace minima::detail {

template <>
bool factor_svd<float>(const Tensor& x, Tensor& u, Tensor& s, Tensor& vt, std::int64_t i) {
  return factor_svd_by_eigen<float>(x, u, s, vt, i);
}

}  // namespace minima::detail
