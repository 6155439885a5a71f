#include <minima/ops/loops/runs/radix_sort.h>

#include <minima/ops/loops/runs/exclusive_sum.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/ops/loops/runs/radix_sort_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>
#include <cstdint>
#include <limits>

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

Sorted radix_sort_cuda(const Tensor& keys, std::int64_t limit, std::int64_t most_blocks) {
  const std::int64_t count = keys.numel();
  if (count == 0) return {keys, keys};
  // Blocks of whole tiles; few enough that a block can sum their counts of a digit at once.
  const std::int64_t tiles = (count + sort_tile - 1) / sort_tile;
  const std::int64_t blocks = std::min(most_blocks, tiles);
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

}  // namespace minima::sorting
