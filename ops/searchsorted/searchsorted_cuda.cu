#include <minima/tensor/base/dispatch.h>
#include <minima/ops/searchsorted/searchsorted_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::detail {

void searchsorted_kernel_cuda(const Tensor& sorted, const Tensor& values, bool right, Tensor& y) {
  const std::int64_t per_line = sorted.rank() == 1 ? y.numel() : y.shape().back();
  dispatch<all_types>(values.dtype(), "searchsorted", [&]<class T> {
    cuda::launch("searchsorted", cuda::grid_for(y.numel()), searchsorted_kernel<T>, sorted.data<T>(),
                 sorted.shape().back(), values.data<T>(), per_line, y.numel(), right, y.data<std::int64_t>());
  });
}

}  // namespace minima::detail
