#include <minima/ops/searchsorted/searchsorted_kernels.h>

#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <cmath>
#include <cstdint>

namespace minima::detail {

void searchsorted_kernel_cpu(const Tensor& sorted, const Tensor& values, bool right, Tensor& y) {
  const std::int64_t size = sorted.shape().back(), per_line = sorted.rank() == 1 ? y.numel() : y.shape().back();
  dispatch<all_types>(values.dtype(), "searchsorted", [&]<class T> {
    minima::parallel_for(0, y.numel(), grain_for(5 * std::log2(2 + static_cast<double>(size))),
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t n = first; n < last; ++n)
                             y.data<std::int64_t>()[n] =
                                 place_of(sorted.data<T>() + n / per_line * size, size, values.data<T>()[n], right);
                         });
  });
}

}  // namespace minima::detail
