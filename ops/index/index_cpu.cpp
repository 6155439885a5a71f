#include <minima/ops/index/index_kernels.h>

#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace minima::detail {

void put_rows_kernel_cpu(const Tensor& index, const Tensor& values, const Tensor& y) {
  const auto row = y.shape()[1] * static_cast<std::int64_t>(y.itemsize());
  const auto* rows = index.data<std::int64_t>();
  const auto* from = static_cast<const char*>(values.raw_data());
  auto* to = static_cast<char*>(y.raw_data());
  const std::int64_t count = index.numel();
  // Every thread visits all rows but owns some bytes: writes never collide, and the last value wins.
  minima::parallel_for(0, row, std::max<std::int64_t>(256, grain_for(2 + 0.1 * static_cast<double>(count))),
                       [&](std::int64_t first, std::int64_t last) {
                         for (std::int64_t i = 0; i < count; ++i)
                           std::memcpy(to + rows[i] * row + first, from + i * row + first,
                                       static_cast<std::size_t>(last - first));
                       });
}

}  // namespace minima::detail
