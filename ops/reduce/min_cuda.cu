#include <minima/ops/reduce/extreme_kernels.h>
#include <minima/ops/reduce/extreme.cuh>

namespace minima::detail {

void min_kernel_cuda(const Tensor& x, const Shape& dims, const Tensor& values, const Tensor& indices) {
  run_extreme<false>(x, dims, values, indices);
}

}  // namespace minima::detail
