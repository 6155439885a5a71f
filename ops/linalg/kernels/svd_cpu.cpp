#include <minima/ops/linalg/kernels/each_matrix.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>

#include <algorithm>
#include <cstdint>

namespace minima::detail {

Findings svd_kernel(const Tensor& x, Tensor& u, Tensor& s, Tensor& vt) {
  Findings findings(static_cast<std::size_t>(count_filled(x)));
  const auto m = static_cast<double>(rows_of(x)), n = static_cast<double>(columns_of(x));
  for_dtype(x, [&]<class T> {
    if (x.numel() > 0) {
      each_matrix(count_filled(x), 20 * m * n * std::min(m, n),
                  [&](std::int64_t i) { findings[static_cast<std::size_t>(i)] = !factor_svd<T>(x, u, s, vt, i); });
    } else {
      each_matrix(count_filled(u), m * m, [&](std::int64_t i) { eigen_map<T>(u, i).setIdentity(); });
      each_matrix(count_filled(vt), n * n, [&](std::int64_t i) { eigen_map<T>(vt, i).setIdentity(); });
    }
  });
  return findings;
}

}  // namespace minima::detail
