#include <minima/data/collate/collate.h>

#include <minima/data/collate/batch.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace minima::data {

namespace {

void expect_like(const Tensor& row, const Tensor& first, std::size_t index) {
  if (!row.defined() || !first.defined())
    throw ValueError(str("collate: the tensor of sample ", index, " of the batch is undefined"));
  if (!row.device().is_cpu()) throw DeviceError(str("collate: samples must be on the CPU, got ", row));
  if (row.dtype() != first.dtype())
    throw DTypeError(str("collate: sample ", index, " of the batch is ", row, ", sample 0 is ", first));
}

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return value + (multiple - value % multiple) % multiple;
}

/// Copies a contiguous block into the corner at index 0 of a larger one.
void copy_corner(const char* from, const Shape& shape, char* to, const Shape& larger, std::size_t item, int dim = 0) {
  if (dim == shape.rank()) {
    std::memcpy(to, from, item);
    return;
  }
  std::size_t from_step = item, to_step = item;
  for (int d = dim + 1; d < shape.rank(); ++d) {
    from_step *= static_cast<std::size_t>(shape[d]);
    to_step *= static_cast<std::size_t>(larger[d]);
  }
  if (from_step == to_step) {
    if (from_step > 0) std::memcpy(to, from, from_step * static_cast<std::size_t>(shape[dim]));
    return;
  }
  for (std::int64_t i = 0; i < shape[dim]; ++i)
    copy_corner(from + static_cast<std::size_t>(i) * from_step, shape, to + static_cast<std::size_t>(i) * to_step,
                larger, item, dim + 1);
}

}  // namespace

void StackTensors::operator()(std::span<const Tensor* const> rows, Tensor& into, bool pinned) const {
  if (rows.empty()) throw ValueError("collate: a batch without samples");
  const Tensor& first = *rows[0];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    expect_like(*rows[i], first, i);
    if (!(rows[i]->shape() == first.shape()))
      throw ShapeError(str("collate: sample ", i, " of the batch is ", *rows[i], ", sample 0 is ", first,
                           "; make all samples the same size, or pad them with PadCollate"));
  }
  Shape shape{static_cast<std::int64_t>(rows.size())};
  for (int d = 0; d < first.rank(); ++d) shape.push_back(first.shape()[d]);
  reuse_or_allocate(into, shape, first.dtype(), pinned);
  const std::size_t bytes = static_cast<std::size_t>(first.numel()) * first.itemsize();
  auto* to = static_cast<char*>(into.raw_data());
  for (const Tensor* row : rows) {
    const Tensor source = detail::row_major(*row);
    if (bytes > 0) std::memcpy(to, source.raw_data(), bytes);
    to += bytes;
  }
}

void PadTensors::operator()(std::span<const Tensor* const> rows, Tensor& into, bool pinned) const {
  if (rows.empty()) throw ValueError("collate: a batch without samples");
  if (multiple < 1) throw ValueError(str("PadTensors: multiple must be at least 1, got ", multiple));
  const Tensor& first = *rows[0];
  Shape largest = first.defined() ? first.shape() : Shape{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    expect_like(*rows[i], first, i);
    if (rows[i]->rank() != first.rank())
      throw ShapeError(str("collate: sample ", i, " of the batch is ", *rows[i], ", sample 0 is ", first,
                           "; padding needs samples of equal rank"));
    for (int d = 0; d < first.rank(); ++d) largest[d] = std::max(largest[d], rows[i]->shape()[d]);
  }
  if (first.rank() > 0) largest[0] = round_up(largest[0], multiple);
  Shape shape{static_cast<std::int64_t>(rows.size())};
  for (int d = 0; d < largest.rank(); ++d) shape.push_back(largest[d]);
  reuse_or_allocate(into, shape, first.dtype(), pinned);
  dispatch<real_and_complex>(into.dtype(), "PadTensors",
                             [&]<class T> { std::fill_n(into.data<T>(), into.numel(), static_cast<T>(value)); });
  auto* to = static_cast<char*>(into.raw_data());
  const std::size_t bytes = static_cast<std::size_t>(into.numel()) / rows.size() * first.itemsize();
  for (const Tensor* row : rows) {
    const Tensor source = detail::row_major(*row);
    copy_corner(static_cast<const char*>(source.raw_data()), source.shape(), to, largest, source.itemsize());
    to += bytes;
  }
}

Tensor lengths(std::span<const Tensor> rows) {
  Tensor result = empty({static_cast<std::int64_t>(rows.size())}, {.dtype = DType::int64});
  for (std::size_t i = 0; i < rows.size(); ++i) result.data<std::int64_t>()[i] = rows[i].size(0);
  return result;
}

}  // namespace minima::data
