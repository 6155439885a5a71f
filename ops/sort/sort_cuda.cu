#include <minima/ops/loops/runs/radix_sort.h>
#include <minima/ops/sort/sort_kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/sort/sort_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <limits>

namespace minima::detail {

void argsort_kernel_cuda(const Tensor& x, int dim, bool descending, Tensor& y) {
  if (y.numel() == 0) return;
  const Tensor from = arranged(x, Layout::contiguous(x.shape()));
  const Lines lines = lines_of(from.layout(), dim), results = lines_of(y.layout(), dim);
  const std::int64_t count = x.numel();
  if (count > std::numeric_limits<std::int32_t>::max())
    throw ShapeError(str("argsort: x ", x, " has more than 2^31 elements, too many for CUDA"));
  const Tensor keys = empty(Shape{count}, {.dtype = DType::int64, .device = x.device()});
  const auto sorted_by = [&](bool lower_half, const Tensor& order) {
    dispatch<all_types>(x.dtype(), "argsort", [&]<class T> {
      cuda::launch("sort_keys", cuda::grid_for(count), sorting::sort_keys_kernel<T>, from.data<T>(), lines, count,
                   order.defined() ? order.data<std::int64_t>() : nullptr, descending, lower_half,
                   keys.data<std::int64_t>());
    });
    return sorting::radix_sort_cuda(keys, (lower_half ? 1 : lines.outer * lines.inner) << 32).positions;
  };
  const bool wide = size_of(x.dtype()) == 8;
  const Tensor first = wide ? sorted_by(true, Tensor()) : Tensor();
  const Tensor second = sorted_by(false, first);
  cuda::launch("sort_places", cuda::grid_for(y.numel()), sorting::sort_places_kernel,
               first.defined() ? first.data<std::int64_t>() : nullptr, second.data<std::int64_t>(), lines, results,
               y.numel(), y.data<std::int64_t>());
}

}  // namespace minima::detail
