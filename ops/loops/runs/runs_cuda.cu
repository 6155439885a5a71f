#include <minima/ops/loops/runs/runs.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>
#include <minima/ops/loops/runs/radix_sort_device.cuh>
#include <minima/ops/loops/runs/run_sums_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

// Radix sort of positions, eight bits at a time from the lowest. Blocks count the digits of their tiles, sums over all
// blocks turn counts into places, and each block scatters its tiles in their order, so that equal keys keep theirs.

namespace minima::sorting {

void exclusive_sum_cuda(const Tensor& counts) {
  cuda::launch("exclusive_sum", {dim3(1), dim3(sum_threads)}, exclusive_sum_kernel<std::uint64_t>,
               reinterpret_cast<std::uint64_t*>(counts.data<std::int64_t>()),
               static_cast<std::uint32_t>(counts.numel()));
}

void check_sortable(std::int64_t count, const char* op) {
  if (count > std::numeric_limits<std::uint32_t>::max())
    throw ShapeError(
        str(op, ": sorts ", count, " positions, and CUDA sorts at most 2^32 - 1 at once; split the tensor"));
}

Sorted radix_sort_cuda(const Tensor& keys, std::int64_t limit, std::int64_t max_blocks) {
  const std::int64_t count = keys.numel();
  if (count == 0) return {keys, keys};
  // Blocks of whole tiles; few enough that a block can sum their counts of a digit at once.
  const std::int64_t tiles = (count + sort_tile - 1) / sort_tile;
  const std::int64_t blocks = std::min(max_blocks, tiles);
  const std::int64_t per_block = (tiles + blocks - 1) / blocks * sort_tile;
  const cuda::Grid grid{dim3(static_cast<unsigned>(blocks)), dim3(sort_threads)};
  const TensorOptions options{.dtype = DType::int64, .device = keys.device()};
  const Tensor memory = empty(Shape{digits * (blocks + 1)}, {.dtype = DType::int32, .device = keys.device()});
  auto* const counts = reinterpret_cast<std::uint32_t*>(memory.data<std::int32_t>());
  std::uint32_t* const totals = counts + digits * blocks;

  Sorted from{keys, Tensor()};
  for (int shift = 0; shift == 0 || (shift < 63 && limit - 1 >= std::int64_t{1} << shift); shift += 8) {
    const Sorted to{empty(keys.shape(), options), empty(keys.shape(), options)};
    const auto* const positions = from.positions.defined() ? from.positions.data<std::int64_t>() : nullptr;
    cuda::launch("radix_count", grid, radix_count_kernel, from.keys.data<std::int64_t>(), limit, count, per_block,
                 shift, counts);
    cuda::launch("radix_sums", {dim3(digits), dim3(blocks == 1 ? cuda::warp : sort_threads)}, radix_sums_kernel, counts,
                 static_cast<std::uint32_t>(blocks), totals);
    cuda::launch("radix_scatter", grid, radix_scatter_kernel, from.keys.data<std::int64_t>(), limit, positions, count,
                 per_block, shift, counts, totals, to.keys.data<std::int64_t>(), to.positions.data<std::int64_t>());
    from = to;
  }
  return from;
}

namespace {

/// The target of all launches: where sums go, and which of them.
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
