#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/index/kernels.h>
#include <minima/ops/loops/runs/runs.h>
#include <minima/ops/index/rows_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::detail {

namespace {

template <class Word>
void gather_rows(const Tensor& weight, const Tensor& index, std::int64_t row_bytes, Tensor& y) {
  static cuda::Fault* const fault = cuda::fault_place({"embedding: an index is ", ", but the weight has ", " rows"});
  const std::int64_t width = row_bytes / static_cast<std::int64_t>(sizeof(Word));
  cuda::launch("embedding", cuda::grid_for(index.numel() * width), embedding_kernel<Word>,
               static_cast<const Word*>(weight.raw_data()), index.data<std::int64_t>(), index.numel(),
               weight.shape()[0], width, static_cast<Word*>(y.raw_data()), fault);
}

bool is_aligned(const Tensor& x, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(x.raw_data()) % bytes == 0;
}

}  // namespace

void embedding_kernel_cuda(const Tensor& weight, const Tensor& index, Tensor& y) {
  const std::int64_t bytes = weight.shape()[1] * static_cast<std::int64_t>(weight.itemsize());
  if (bytes % 16 == 0 && is_aligned(weight, 16) && is_aligned(y, 16))
    gather_rows<cuda::Pack<std::uint64_t, 2>>(weight, index, bytes, y);
  else if (bytes % 4 == 0 && is_aligned(weight, 4)) gather_rows<std::uint32_t>(weight, index, bytes, y);
  else if (bytes % 2 == 0 && is_aligned(weight, 2)) gather_rows<std::uint16_t>(weight, index, bytes, y);
  else gather_rows<std::uint8_t>(weight, index, bytes, y);
}

void embedding_gradient_kernel_cuda(const Tensor& g, const Tensor& index, std::int64_t padding, Tensor& y) {
  const std::int64_t count = index.numel(), width = y.shape()[1];
  sorting::check_sortable(count, "embedding");
  zero_kernel_cuda(y, y.numel());
  if (count == 0 || width == 0) return;
  // Rows out of range become row V, which is ignored; the forward pass has reported them.
  const sorting::Sorted sorted = sorting::radix_sort_cuda(index, y.shape()[0] + 1);
  sorting::sum_runs_cuda(g, sorted, padding, false, y);
}

}  // namespace minima::detail
