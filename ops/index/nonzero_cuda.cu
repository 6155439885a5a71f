#include <minima/ops/index/kernels.h>
#include <minima/ops/loops/runs/runs.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/ops/index/nonzero_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>

namespace minima::detail {

namespace {

/// Splits the flags into at most 1024 ranges of whole tiles.
struct Ranges {
  std::int64_t blocks, per_block;
  explicit Ranges(std::int64_t count) {
    const std::int64_t tiles = (count + nonzero_threads - 1) / nonzero_threads;
    const std::int64_t tiles_per_block = std::max<std::int64_t>(1, (tiles + 1023) / 1024);
    blocks = (tiles + tiles_per_block - 1) / tiles_per_block;
    per_block = tiles_per_block * nonzero_threads;
  }
  cuda::Grid grid() const { return {dim3(static_cast<unsigned>(blocks)), dim3(nonzero_threads)}; }
};

/// The number of true flags before each range and, last, their total.
Tensor starts_of(const Tensor& flags, const Ranges& ranges) {
  const Tensor counts = empty(Shape{ranges.blocks + 1}, {.dtype = DType::int64, .device = flags.device()});
  cuda::launch("count_true", ranges.grid(), count_true_kernel, flags.data<bool>(), flags.numel(), ranges.per_block,
               counts.data<std::int64_t>());
  sorting::exclusive_sum_cuda(counts);
  return counts;
}

}  // namespace

std::int64_t count_true_cuda(const Tensor& flags) {
  if (flags.numel() == 0) return 0;
  const Ranges ranges(flags.numel());
  const Tensor starts = starts_of(flags, ranges);
  const Tensor last(new TensorImpl(starts.impl()->storage, Layout{{}, {}, ranges.blocks}, DType::int64));
  return last.item<std::int64_t>();
}

void nonzero_kernel_cuda(const Tensor& flags, Tensor& y) {
  if (y.numel() == 0) return;
  Sizes sizes{};
  if (flags.rank() > Sizes::max_rank)
    throw ShapeError(str("nonzero: more than ", Sizes::max_rank, " dimensions on CUDA: ", flags));
  sizes.rank = flags.rank();
  for (int d = 0; d < sizes.rank; ++d) sizes.size[d] = flags.shape()[d];
  const Ranges ranges(flags.numel());
  const Tensor starts = starts_of(flags, ranges);
  cuda::launch("nonzero", ranges.grid(), nonzero_kernel, flags.data<bool>(), flags.numel(), ranges.per_block,
               starts.data<std::int64_t>(), sizes, y.data<std::int64_t>());
}

}  // namespace minima::detail
