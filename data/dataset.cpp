#include <minima/data/dataset.h>

#include <minima/data/collate/batch.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace minima::data {

Tensor gather_rows(const Tensor& x, std::span<const std::int64_t> indices) {
  Tensor rows;
  gather_rows_into(x, indices, rows);
  return rows;
}

void gather_rows_into(const Tensor& x, std::span<const std::int64_t> indices, Tensor& rows, bool pinned) {
  if (!x.defined() || x.rank() == 0) throw ShapeError(str("gather_rows: x must have at least one dimension, got ", x));
  if (!x.device().is_cpu()) throw DeviceError(str("gather_rows: x must be on the CPU, got ", x));
  const Tensor source = detail::row_major(x);
  Shape shape = x.shape();
  shape[0] = static_cast<std::int64_t>(indices.size());
  reuse_or_allocate(rows, shape, x.dtype(), pinned);

  std::size_t row_bytes = x.itemsize();
  for (int d = 1; d < x.rank(); ++d) row_bytes *= static_cast<std::size_t>(x.shape()[d]);
  auto* to = static_cast<char*>(rows.raw_data());
  const auto* from = static_cast<const char*>(source.raw_data());
  constexpr std::size_t ahead = 4;  // prefetch: the hardware cannot predict the rows of a shuffled batch
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t index = indices[i];
    if (index < 0 || index >= x.shape()[0])
      throw IndexError(str("gather_rows: index ", index, " into ", x.shape()[0], " rows"));
    if (i + ahead < indices.size()) {
      const char* next = from + static_cast<std::size_t>(indices[i + ahead]) * row_bytes;
      for (std::size_t line = 0; line < std::min<std::size_t>(row_bytes, 1024); line += 64)
        __builtin_prefetch(next + line);
    }
    if (row_bytes > 0) std::memcpy(to, from + static_cast<std::size_t>(index) * row_bytes, row_bytes);
    to += row_bytes;
  }
}

std::int64_t detail::prepare_columns(std::span<Tensor> tensors) {
  if (tensors.empty()) throw ValueError("TensorDataset: needs at least one tensor");
  for (Tensor& tensor : tensors) {
    if (!tensor.defined() || tensor.rank() == 0)
      throw ShapeError(str("TensorDataset: every tensor needs at least one dimension, got ", tensor));
    if (tensor.size(0) != tensors[0].size(0))
      throw ShapeError(
          str("TensorDataset: the tensors differ in size along dimension 0: ", tensors[0], " and ", tensor));
    tensor = row_major(tensor);
  }
  return tensors[0].size(0);
}

}  // namespace minima::data
