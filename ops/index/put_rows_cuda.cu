#include <minima/ops/index/kernels.h>
#include <minima/ops/loops/runs/runs.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/ops/index/rows_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::detail {

namespace {

template <class Word>
void put(const Tensor& index, const sorting::Sorted& sorted, const Tensor& values, const Tensor& y) {
  static cuda::Fault* const fault = cuda::fault_place({"index_put: a position is ", ", but there are ", ""});
  const std::int64_t count = sorted.keys.numel(), width = y.shape()[1];
  cuda::launch("put_rows", cuda::grid_for(count * width), put_rows_kernel<Word>, index.data<std::int64_t>(),
               sorted.keys.data<std::int64_t>(), sorted.positions.data<std::int64_t>(), count, y.shape()[0], width,
               static_cast<const Word*>(values.raw_data()), static_cast<Word*>(y.raw_data()), fault);
}

}  // namespace

void put_rows_kernel_cuda(const Tensor& index, const Tensor& values, const Tensor& y) {
  if (values.numel() == 0) return;
  sorting::check_sortable(index.numel(), "index_put");
  const sorting::Sorted sorted = sorting::radix_sort_cuda(index, y.shape()[0] + 1);
  switch (y.itemsize()) {
    case 1: return put<std::uint8_t>(index, sorted, values, y);
    case 2: return put<std::uint16_t>(index, sorted, values, y);
    case 4: return put<std::uint32_t>(index, sorted, values, y);
    case 8: return put<std::uint64_t>(index, sorted, values, y);
    default: throw DTypeError(str("index_put: no CUDA kernel for ", y.dtype(), "; move the tensors to the CPU"));
  }
}

}  // namespace minima::detail
