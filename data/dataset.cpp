#include <minima/data/dataset.h>

#include <minima/tensor/dispatch.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>
#include <minima/tensor/host_copy.h>

#include <cstring>

namespace minima::data {

namespace {

Tensor row_major(const Tensor& x) {
  if (x.is_contiguous()) return x;
  Tensor copy = empty(x.shape(), {.dtype = x.dtype()});
  dispatch<all_types>(x.dtype(), "TensorDataset",
                      [&]<class T> { minima::detail::copy_to_host(x, copy.data<T>(), x.numel()); });
  return copy;
}

}  // namespace

Tensor gather_rows(const Tensor& x, std::span<const std::int64_t> indices) {
  if (!x.defined() || x.rank() == 0) throw ShapeError(str("gather_rows: x must have rows, got ", x));
  if (!x.device().is_cpu()) throw DeviceError(str("gather_rows: x must be on the CPU, got ", x));
  const Tensor source = row_major(x);
  Shape shape = x.shape();
  shape[0] = static_cast<std::int64_t>(indices.size());
  Tensor rows = empty(shape, {.dtype = x.dtype()});

  std::size_t row_bytes = x.itemsize();
  for (int d = 1; d < x.rank(); ++d) row_bytes *= static_cast<std::size_t>(x.shape()[d]);
  auto* to = static_cast<char*>(rows.raw_data());
  const auto* from = static_cast<const char*>(source.raw_data());
  for (const std::int64_t index : indices) {
    if (index < 0 || index >= x.shape()[0])
      throw IndexError(str("gather_rows: index ", index, " into ", x.shape()[0], " rows"));
    if (row_bytes > 0) std::memcpy(to, from + static_cast<std::size_t>(index) * row_bytes, row_bytes);
    to += row_bytes;
  }
  return rows;
}

std::int64_t detail::prepare_columns(std::span<Tensor> tensors) {
  if (tensors.empty()) throw ValueError("TensorDataset: needs at least one tensor");
  for (Tensor& tensor : tensors) {
    if (!tensor.defined() || tensor.rank() == 0)
      throw ShapeError(str("TensorDataset: every tensor needs a first dimension, the samples; got ", tensor));
    if (tensor.size(0) != tensors[0].size(0))
      throw ShapeError(str("TensorDataset: numbers of samples differ: ", tensors[0], " and ", tensor));
    tensor = row_major(tensor);
  }
  return tensors[0].size(0);
}

}  // namespace minima::data
