#include <minima/ops/loops/runs/runs.h>
#include <minima/ops/sort/kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/sort/sort_device.cuh>
#include <minima/ops/sort/topk_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace minima::detail {

namespace {

constexpr std::int64_t most_selected = 1024;  // beyond, ranking them in one block would take longer than a sort

/// y's elements are few: selects them. One block per line, or several where lines are fewer than a GPU's
/// multiprocessors and long.
void select(const Tensor& x, int dim, bool descending, Tensor& y) {
  Layout layout = Layout::contiguous(x.shape());
  const Lines lines = lines_of(layout, dim), results = lines_of(y.layout(), dim);
  if (lines.inner > 1) {  // the line's elements become neighbours
    layout.strides[dim] = 1;
    for (int d = dim + 1; d < x.rank(); ++d) layout.strides[d] *= lines.length;
  }
  const Tensor from = arranged(x, layout);
  const std::int64_t count = lines.outer * lines.inner, k = results.length;
  constexpr std::int64_t blocks_wanted = 512, least_part = 4096;
  const std::int64_t parts = std::clamp<std::int64_t>(lines.length / std::max(least_part, 16 * k), 1,
                                                      std::max<std::int64_t>(1, blocks_wanted / count));
  const auto run = [&](const Tensor& elements, const Tensor& places, std::int64_t length, std::int64_t pieces,
                       std::int64_t inner, const Tensor& result, const Tensor& values) {
    const std::int64_t per_thread = 4;
    unsigned threads = cuda::warp;
    while (threads < sorting::topk_threads && threads * per_thread < length / pieces) threads *= 2;
    dispatch<all_types>(x.dtype(), "topk", [&]<class T> {
      const auto bytes = static_cast<std::size_t>(k) * (2 * sizeof(std::int64_t) + sizeof(sorting::order_key(T())));
      cuda::launch("topk", {cuda::grid_for(count * pieces, 1).blocks, dim3(threads), bytes}, sorting::topk_kernel<T>,
                   elements.data<T>(), places.defined() ? places.data<std::int64_t>() : nullptr, length, pieces,
                   static_cast<unsigned>(k), descending, inner, result.data<std::int64_t>(),
                   values.defined() ? values.data<T>() : nullptr);
    });
  };
  if (parts == 1) return run(from, Tensor(), lines.length, 1, lines.inner, y, Tensor());
  const Shape shape{count, parts, k};
  const Tensor places = empty(shape, {.dtype = DType::int64, .device = x.device()});
  const Tensor values = empty(shape, {.dtype = x.dtype(), .device = x.device()});
  run(from, Tensor(), lines.length, parts, 1, places, values);
  run(values, places, parts * k, 1, lines.inner, y, Tensor());
}

}  // namespace

void argsort_kernel_cuda(const Tensor& x, int dim, bool descending, Tensor& y) {
  if (y.numel() == 0) return;
  const std::int64_t kept = y.rank() == 0 ? 1 : y.shape()[dim];
  const bool fits = y.numel() / kept <= std::numeric_limits<std::int32_t>::max();  // a block per line
  if (y.numel() < x.numel() && kept <= most_selected && fits) return select(x, dim, descending, y);
  const Tensor from = arranged(x, Layout::contiguous(x.shape()));
  const Lines lines = lines_of(from.layout(), dim), results = lines_of(y.layout(), dim);
  const std::int64_t count = x.numel();
  if (count > std::numeric_limits<std::int32_t>::max())
    throw ShapeError(str("argsort: x ", x, " has more than 2^31 elements, too many for CUDA"));
  const Tensor keys = empty(Shape{count}, {.dtype = DType::int64, .device = x.device()});
  const auto sorted_by = [&](bool lower_half, const Tensor& order) {
    dispatch<all_types>(x.dtype(), "argsort", [&]<class T> {
      cuda::launch("sort_keys", cuda::grid_for(count), sorting::sort_keys_kernel<T>, from.data<T>(),
                   sorting::LineDividers(lines), static_cast<std::uint32_t>(count),
                   order.defined() ? order.data<std::int64_t>() : nullptr, descending, lower_half,
                   keys.data<std::int64_t>());
    });
    return sorting::radix_sort_cuda(keys, (lower_half ? 1 : lines.outer * lines.inner) << 32).positions;
  };
  const bool wide = size_of(x.dtype()) == 8;
  const Tensor first = wide ? sorted_by(true, Tensor()) : Tensor();
  const Tensor second = sorted_by(false, first);
  cuda::launch("sort_places", cuda::grid_for(y.numel()), sorting::sort_places_kernel,
               first.defined() ? first.data<std::int64_t>() : nullptr, second.data<std::int64_t>(),
               sorting::LineDividers(lines), sorting::LineDividers(results), static_cast<std::uint32_t>(y.numel()),
               y.data<std::int64_t>());
}

void searchsorted_kernel_cuda(const Tensor& sorted, const Tensor& values, bool right, Tensor& y) {
  const std::int64_t per_line = sorted.rank() == 1 ? y.numel() : y.shape().back();
  dispatch<all_types>(values.dtype(), "searchsorted", [&]<class T> {
    cuda::launch("searchsorted", cuda::grid_for(y.numel()), searchsorted_kernel<T>, sorted.data<T>(),
                 sorted.shape().back(), values.data<T>(), per_line, y.numel(), right, y.data<std::int64_t>());
  });
}

}  // namespace minima::detail
