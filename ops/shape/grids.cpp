#include <minima/ops/shape/grids.h>

#include <minima/ops/arrange/arrange.h>
#include <minima/ops/cat/cat.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/diagonal/diagonal.h>
#include <minima/ops/nonzero/nonzero.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/shape/shape.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace minima {

namespace {

/// x with one of its views replaced by `source`.
template <class View>
Tensor replaced(const char* op, const Tensor& x, const Tensor& source, const View& view) {
  detail::check_defined(op, source, 1);
  const Shape shape = view(x.detach()).shape();
  if (source.shape() != shape)
    throw ShapeError(str(op, ": the source must have shape ", shape, " for x ", x, ", got ", source));
  if (source.dtype() != x.dtype())
    throw DTypeError(str(op, ": the source must have the dtype of x ", x, ", got ", source, "; convert it with to()"));
  const Tensor y = clone(x);
  copy_(view(y), source);
  return y;
}

/// The coordinates where `inside` is true of a matrix's columns minus its rows.
template <class Inside>
Tensor triangle(const char* op, std::int64_t rows, std::int64_t columns, Device device, const Inside& inside) {
  if (rows < 0 || columns < 0) throw ValueError(str(op, ": sizes must not be negative, got ", rows, " and ", columns));
  detail::checked_numel({rows, columns}, op);
  const TensorOptions options{.dtype = DType::int64, .device = device};
  detail::expect_room(std::max(rows, columns), sizeof(std::int64_t), op);
  const Tensor distance = unsqueeze(arange(0, columns, 1, options), 0) - unsqueeze(arange(0, rows, 1, options), 1);
  return contiguous(transpose(nonzero(inside(distance)), 0, 1));
}

}  // namespace

std::vector<Tensor> meshgrid(std::span<const Tensor> vectors, bool xy) {
  constexpr const char* op = "meshgrid";
  if (vectors.empty()) throw ValueError(str(op, ": needs at least one vector"));
  Shape shape;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    detail::check_defined(op, vectors[i], static_cast<int>(i));
    if (vectors[i].rank() > 1) throw ShapeError(str(op, ": needs vectors or scalars, got ", vectors[i]));
    shape.push_back(vectors[i].numel());
  }
  detail::checked_numel(shape, op);
  std::vector<Tensor> grid;
  grid.reserve(vectors.size());
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    Shape along = Shape::filled(shape.rank(), 1);
    along[static_cast<int>(i)] = vectors[i].numel();
    const Tensor coordinates = expand(reshape(vectors[i], along), shape);
    grid.push_back(xy && shape.rank() > 1 ? transpose(coordinates, 0, 1) : coordinates);
  }
  return grid;
}

Tensor cartesian_prod(std::span<const Tensor> vectors) {
  constexpr const char* op = "cartesian_prod";
  if (vectors.empty()) throw ValueError(str(op, ": needs at least one vector"));
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    detail::check_defined(op, vectors[i], static_cast<int>(i));
    if (vectors[i].rank() != 1) throw ShapeError(str(op, ": needs vectors, got ", vectors[i]));
    if (vectors[i].dtype() != vectors[0].dtype())
      throw DTypeError(str(op, ": needs one dtype, got ", vectors[0], " and ", vectors[i], "; convert them with to()"));
  }
  if (vectors.size() == 1) return vectors[0];
  std::vector<Tensor> columns = meshgrid(vectors);
  for (Tensor& column : columns) column = flatten(column);
  return stack(columns, 1);
}

Tensor combinations(const Tensor& x, std::int64_t count, bool with_replacement) {
  constexpr const char* op = "combinations";
  detail::check_defined(op, x);
  if (x.rank() != 1) throw ShapeError(str(op, ": x must be a vector, got ", x));
  if (count < 0) throw ValueError(str(op, ": count must not be negative, got ", count));
  const TensorOptions options{.dtype = DType::int64, .device = x.device()};
  if (count == 0) return empty({0}, {.dtype = x.dtype(), .device = x.device()});
  if (!with_replacement && count > x.numel()) return empty({0, count}, {.dtype = x.dtype(), .device = x.device()});
  detail::expect_room(count, sizeof(Tensor), op);
  // Each round extends every choice by the positions after its last one.
  detail::expect_room(x.numel(), sizeof(std::int64_t), op);
  const Tensor positions = arange(0, x.numel(), 1, options);
  Tensor choices = unsqueeze(positions, 1);
  for (std::int64_t chosen = 1; chosen < count && choices.numel() > 0; ++chosen) {
    const Tensor last = slice(choices, 1, chosen - 1), next = unsqueeze(positions, 0);
    const Tensor pairs = nonzero(with_replacement ? next >= last : next > last);
    choices = cat({index_select(choices, 0, select(pairs, 1, 0)), slice(pairs, 1, 1)}, 1);
  }
  return reshape(index_select(x, 0, flatten(choices)), {choices.shape()[0], count});
}

Tensor tril_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset, Device device) {
  return triangle("tril_indices", rows, columns, device, [&](const Tensor& distance) { return distance <= offset; });
}
Tensor triu_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset, Device device) {
  return triangle("triu_indices", rows, columns, device, [&](const Tensor& distance) { return distance >= offset; });
}

Tensor logspace(double start, double stop, std::int64_t count, double base, TensorOptions options) {
  if (count < 0) throw ValueError(str("logspace: count must not be negative, got ", count));
  detail::expect_room(count, sizeof(double), "logspace");
  return pow(base, linspace(start, stop, count, {.dtype = DType::float64})).to(options.device, options.dtype);
}

Tensor diag(const Tensor& x, std::int64_t offset) {
  detail::check_defined("diag", x);
  if (x.rank() == 1) return diag_embed(x, offset);
  if (x.rank() != 2) throw ShapeError(str("diag: x must be a vector or a matrix, got ", x));
  return clone(diagonal(x, offset));
}

Tensor diag_embed(const Tensor& x, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
  constexpr const char* op = "diag_embed";
  detail::check_defined(op, x);
  if (x.rank() == 0) throw ShapeError(str(op, ": x must have at least one dimension, got ", x));
  const int first = wrap_dim(dim1, x.rank() + 1, op), second = wrap_dim(dim2, x.rank() + 1, op);
  if (first == second) throw ValueError(str(op, ": dim1 and dim2 must differ, got ", dim1, " and ", dim2));
  const detail::Wide distance = offset < 0 ? -detail::Wide{offset} : detail::Wide{offset};
  const std::int64_t size = detail::fit(detail::Wide{x.shape().back()} + distance, op);
  Shape shape;
  for (int d = 0, from = 0; d < x.rank() + 1; ++d)
    shape.push_back(d == first || d == second ? size : x.shape()[from++]);
  detail::checked_numel(shape, op);
  const Tensor y = zeros(shape, {.dtype = x.dtype(), .device = x.device()});
  copy_(diagonal(y, offset, first, second), x);
  return y;
}

Tensor diagonal_scatter(const Tensor& x, const Tensor& source, std::int64_t offset, std::int64_t dim1,
                        std::int64_t dim2) {
  constexpr const char* op = "diagonal_scatter";
  detail::check_defined(op, x);
  wrap_dim(dim1, x.rank(), op);
  wrap_dim(dim2, x.rank(), op);
  return replaced(op, x, source, [&](const Tensor& y) { return diagonal(y, offset, dim1, dim2); });
}

Tensor select_scatter(const Tensor& x, const Tensor& source, std::int64_t dim, std::int64_t index) {
  constexpr const char* op = "select_scatter";
  detail::check_defined(op, x);
  wrap_dim(dim, x.rank(), op);
  return replaced(op, x, source, [&](const Tensor& y) { return select(y, dim, index); });
}

Tensor slice_scatter(const Tensor& x, const Tensor& source, std::int64_t dim, std::int64_t start, std::int64_t stop,
                     std::int64_t step) {
  constexpr const char* op = "slice_scatter";
  detail::check_defined(op, x);
  wrap_dim(dim, x.rank(), op);
  return replaced(op, x, source, [&](const Tensor& y) { return slice(y, dim, start, stop, step); });
}

Tensor block_diag(std::span<const Tensor> matrices) {
  constexpr const char* op = "block_diag";
  if (matrices.empty()) throw ValueError(str(op, ": needs at least one matrix"));
  detail::Wide rows = 0, columns = 0;
  std::vector<Tensor> blocks;
  for (const Tensor& x : matrices) {
    detail::check_defined(op, x, static_cast<int>(blocks.size()));
    if (x.rank() > 2) throw ShapeError(str(op, ": needs matrices, vectors or scalars, got ", x));
    if (x.dtype() != matrices[0].dtype())
      throw DTypeError(str(op, ": needs one dtype, got ", matrices[0], " and ", x, "; convert them with to()"));
    blocks.push_back(atleast_2d(x));
    rows += blocks.back().shape()[0];
    columns += blocks.back().shape()[1];
  }
  const Shape shape{detail::fit(rows, op), detail::fit(columns, op)};
  detail::checked_numel(shape, op);
  const Tensor y = zeros(shape, {.dtype = matrices[0].dtype(), .device = matrices[0].device()});
  std::int64_t row = 0, column = 0;
  for (const Tensor& block : blocks) {
    const std::int64_t height = block.shape()[0], width = block.shape()[1];
    copy_(narrow(narrow(y, 0, row, height), 1, column, width), block);
    row += height;
    column += width;
  }
  return y;
}

}  // namespace minima
