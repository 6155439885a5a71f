#include <minima/ops/creation/grids.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/index/nonzero.h>
#include <minima/ops/index/select.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace minima {

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

namespace {

/// The elements of all combinations of `count` out of `size`: with C(n, count) rows. At most 2⁶².
std::int64_t entries(std::int64_t size, std::int64_t count, bool with_replacement) {
  if (size == 0) return 0;
  const auto k = static_cast<double>(count), n = static_cast<double>(size) + (with_replacement ? k - 1 : 0);
  const double rows = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
  return static_cast<std::int64_t>(std::min(rows * k, 0x1p62));
}

}  // namespace

Tensor combinations(const Tensor& x, std::int64_t count, bool with_replacement) {
  constexpr const char* op = "combinations";
  detail::check_defined(op, x);
  if (x.rank() != 1) throw ShapeError(str(op, ": x must be a vector, got ", x));
  if (count < 0) throw ValueError(str(op, ": count must not be negative, got ", count));
  const TensorOptions options{.dtype = DType::int64, .device = x.device()};
  if (count == 0) return empty({0}, {.dtype = x.dtype(), .device = x.device()});
  if (!with_replacement && count > x.numel()) return empty({0, count}, {.dtype = x.dtype(), .device = x.device()});
  detail::expect_room(count, sizeof(Tensor), op);
  detail::expect_room(x.numel(), sizeof(std::int64_t), op);
  detail::expect_room(entries(x.numel(), count, with_replacement), sizeof(std::int64_t), op);
  // Each round extends every choice by the positions after its last one that leave enough for the rounds to come.
  const Tensor positions = arange(0, x.numel(), 1, options);
  const auto open_to = [&](std::int64_t chosen) {
    return with_replacement ? positions : slice(positions, 0, 0, x.numel() - count + chosen + 1);
  };
  Tensor choices = unsqueeze(open_to(0), 1);
  for (std::int64_t chosen = 1; chosen < count && choices.numel() > 0; ++chosen) {
    const Tensor last = slice(choices, 1, chosen - 1), next = unsqueeze(open_to(chosen), 0);
    const Tensor pairs = nonzero(with_replacement ? next >= last : next > last);
    choices = cat({index_select(choices, 0, select(pairs, 1, 0)), slice(pairs, 1, 1)}, 1);
  }
  return reshape(index_select(x, 0, flatten(choices)), {choices.shape()[0], count});
}

}  // namespace minima
