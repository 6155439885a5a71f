#include <minima/ops/reduce/kernels.h>
#include <minima/ops/reduce/reduce_front.h>
#include <minima/ops/reduce/reduce.cuh>

namespace minima::detail {

void sum_kernel_cuda(const Tensor& x, const Shape& dims, Tensor& y) {
  reduction::sum_over(reduction::CudaEngine{x.device()}, x, dims, y);
}

void nansum_kernel_cuda(const Tensor& x, const Shape& dims, Tensor& y) {
  reduction::nansum_over(reduction::CudaEngine{x.device()}, x, dims, y);
}

void mean_kernel_cuda(const Tensor& x, const Shape& dims, Tensor& y) {
  reduction::mean_over(reduction::CudaEngine{x.device()}, x, dims, y);
}

}  // namespace minima::detail
