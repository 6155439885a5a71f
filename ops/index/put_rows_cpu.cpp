#include <minima/ops/index/kernels.h>

#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace minima::detail {

namespace {

/// Rows of one element. Every thread visits all of them but owns a range of y, so that the last value wins.
template <class Word> void put_elements(const Tensor& index, const Tensor& values, const Tensor& y) {
  const auto* const rows = index.data<std::int64_t>();
  const auto* const from = static_cast<const Word*>(values.raw_data());
  auto* const to = static_cast<Word*>(y.raw_data());
  const std::int64_t count = index.numel(), size = y.shape()[0];
  const std::int64_t parts = std::min<std::int64_t>(num_threads(), 1 + count / 32768);
  minima::parallel_for(0, parts, 1, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t low = size * first / parts, high = size * last / parts;
    if (last - first == parts)
      for (std::int64_t i = 0; i < count; ++i) to[rows[i]] = from[i];
    else
      for (std::int64_t i = 0; i < count; ++i)
        if (rows[i] >= low && rows[i] < high) to[rows[i]] = from[i];
  });
}

}  // namespace

void put_rows_kernel_cpu(const Tensor& index, const Tensor& values, const Tensor& y) {
  if (y.numel() == 0) return;
  const auto row = y.shape()[1] * static_cast<std::int64_t>(y.itemsize());
  switch (row) {
    case 1: return put_elements<std::uint8_t>(index, values, y);
    case 2: return put_elements<std::uint16_t>(index, values, y);
    case 4: return put_elements<std::uint32_t>(index, values, y);
    case 8: return put_elements<std::uint64_t>(index, values, y);
    default: break;
  }
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
