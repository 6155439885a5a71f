#include <minima/ops/reduce/kernels.h>
#include <minima/ops/reduce/reduce_front.h>
#include <minima/ops/reduce/reduce.cuh>

namespace minima::detail {

void extreme_kernel_cuda(bool largest, const Tensor& x, const Shape& dims, const Tensor& values,
                         const Tensor& indices) {
  reduction::extreme_over(reduction::CudaEngine{x.device()}, largest, x, dims, values, indices);
}

}  // namespace minima::detail
