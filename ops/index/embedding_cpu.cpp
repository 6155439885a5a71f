#include <minima/ops/index/kernels.h>

#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/index/add_rows.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/tensor/zero_memory.h>

#include <cstdint>
#include <cstring>

namespace minima::detail {

void embedding_kernel_cpu(const Tensor& weight, const Tensor& index, Tensor& y) {
  const auto row = static_cast<std::size_t>(weight.shape()[1]) * weight.itemsize();
  const auto* rows = index.data<std::int64_t>();
  const auto* from = static_cast<const char*>(weight.raw_data());
  auto* to = static_cast<char*>(y.raw_data());
  minima::parallel_for(
      0, index.numel(), grain_for(5 + 0.1 * static_cast<double>(row)), [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
          std::memcpy(to + static_cast<std::size_t>(i) * row, from + static_cast<std::size_t>(rows[i]) * row, row);
      });
}

void embedding_gradient_kernel_cpu(const Tensor& g, const Tensor& index, std::int64_t padding, Tensor& y) {
  if (is_half(y.dtype())) {  // accumulate in float32, round once
    const Tensor wide_g = empty(g.shape());
    copy_kernel_cpu(g, wide_g);
    Tensor wide = empty(y.shape());
    embedding_gradient_kernel_cpu(wide_g, index, padding, wide);
    return copy_kernel_cpu(wide, y);
  }
  zero_memory(y);
  const std::int64_t width = y.shape()[1];
  dispatch<full_floating>(y.dtype(), "embedding", [&]<class T> {
    const T* const from = g.data<T>();
    add_rows(index.data<std::int64_t>(), index.numel(), padding, width, y.data<T>(),
             [&](std::int64_t i) { return ScaledRow<T>{from + i * width, T(1)}; });
  });
}

}  // namespace minima::detail
