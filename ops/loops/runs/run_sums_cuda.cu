#include <minima/ops/loops/runs/run_sums.h>

#include <minima/ops/loops/runs/radix_sort.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/tensor.h>
#include <minima/ops/loops/runs/run_sums_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <type_traits>

namespace minima::sorting {

namespace {

/// What all launches share.
template <class Y>
struct Target {
  Y* y;
  std::int64_t columns, limit, skipped;
  bool adds;
};

template <class X, class Y>
void launch(const KeyedRows<X>& from, const Target<Y>& to, const PartialRuns<cuda::Compute<Y>>& partial) {
  const auto run = [&]<int width>(std::integral_constant<int, width>) {
    const std::int64_t chunks = (from.count + chunk_rows - 1) / chunk_rows;
    cuda::launch("run_sums", cuda::grid_for(chunks * (to.columns / width)), run_sums_kernel<width, X, Y>, from,
                 to.columns, to.limit, to.skipped, to.adds, to.y, partial);
  };
  const auto is_aligned = [](const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; };
  if constexpr (!std::is_integral_v<X>) {
    constexpr int width = 16 / sizeof(X);
    if (to.columns % width == 0 && is_aligned(from.rows) && is_aligned(to.y))
      return run(std::integral_constant<int, width>());
  }
  run(std::integral_constant<int, 1>());
}

/// The first launch reads the rows; each of the others what the one before left.
template <class X, class Y>
void sum_all(KeyedRows<X> from, const Target<Y>& to, Device device) {
  using T = cuda::Compute<Y>;
  const std::int64_t chunks = (from.count + chunk_rows - 1) / chunk_rows;
  if (chunks == 1) return launch(from, to, PartialRuns<T>{nullptr, nullptr});
  const Tensor sums = empty(Shape{2 * chunks, to.columns}, {.dtype = dtype_of<T>, .device = device});
  const Tensor keys = empty(Shape{2 * chunks}, {.dtype = DType::int64, .device = device});
  launch(from, to, PartialRuns<T>{sums.data<T>(), keys.data<std::int64_t>()});
  sum_all(KeyedRows<T>{sums.data<T>(), keys.data<std::int64_t>(), nullptr, 2 * chunks}, to, device);
}

}  // namespace

void sum_runs_cuda(const Tensor& rows, const Sorted& sorted, std::int64_t skipped, bool adds, const Tensor& y) {
  const std::int64_t count = sorted.keys.numel(), columns = y.shape()[1];
  if (count == 0 || columns == 0) return;
  dispatch<numeric>(y.dtype(), "run_sums", [&]<class X> {
    sum_all(
        KeyedRows<X>{rows.data<X>(), sorted.keys.data<std::int64_t>(), sorted.positions.data<std::int64_t>(), count},
        Target<X>{y.data<X>(), columns, y.shape()[0], skipped, adds}, y.device());
  });
}

}  // namespace minima::sorting
