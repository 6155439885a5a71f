#include <minima/ops/shape/shape.h>

#include <minima/ops/arrange/arrange.h>
#include <minima/ops/cat/cat.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace minima {

namespace {

int checked_dim(const char* op, const Tensor& x, std::int64_t dim) {
  detail::check_defined(op, x);
  const int along = wrap_dim(dim, x.rank(), op);
  if (x.rank() == 0) throw ShapeError(str(op, ": x has no dimension to split, got ", x));
  return along;
}

template <class F>
Tensor joined(const char* op, std::span<const Tensor> tensors, std::int64_t dim, const F& prepared) {
  if (tensors.empty()) throw ValueError(str(op, ": needs at least one tensor"));
  std::vector<Tensor> list;
  list.reserve(tensors.size());
  for (const Tensor& x : tensors) {
    detail::check_defined(op, x, static_cast<int>(list.size()));
    list.push_back(prepared(x));
  }
  return cat(list, list.front().rank() == 1 ? 0 : dim);
}

}  // namespace

Tensor movedim(const Tensor& x, const Shape& source, const Shape& destination) {
  constexpr const char* op = "movedim";
  detail::check_defined(op, x);
  if (source.rank() != destination.rank())
    throw ValueError(
        str(op, ": needs as many sources as destinations, got dimensions ", source, " and positions ", destination));
  constexpr std::int64_t open = -1;
  Shape order = Shape::filled(x.rank(), open), rest;
  std::vector<bool> moves(static_cast<std::size_t>(x.rank()));
  for (int i = 0; i < source.rank(); ++i) {
    const int from = wrap_dim(source[i], x.rank(), op), to = wrap_dim(destination[i], x.rank(), op);
    if (x.rank() == 0) return x;
    if (moves[static_cast<std::size_t>(from)] || order[to] != open)
      throw ValueError(str(op, ": a dimension appears twice in ", source, " or ", destination));
    moves[static_cast<std::size_t>(from)] = true;
    order[to] = from;
  }
  int next = 0;
  for (std::int64_t& from : order) {
    if (from != open) continue;
    while (moves[static_cast<std::size_t>(next)]) ++next;
    from = next++;
  }
  return permute(x, order);
}

Tensor unflatten(const Tensor& x, std::int64_t dim, const Shape& sizes) {
  const int along = checked_dim("unflatten", x, dim);
  const Shape parts = infer_shape(sizes, x.shape()[along], "unflatten");
  Shape shape;
  for (int d = 0; d < x.rank(); ++d) {
    if (d != along) shape.push_back(x.shape()[d]);
    else
      for (const std::int64_t size : parts) shape.push_back(size);
  }
  return reshape(x, shape);
}

Tensor unfold(const Tensor& x, std::int64_t dim, std::int64_t size, std::int64_t step) {
  constexpr const char* op = "unfold";
  detail::check_defined(op, x);
  const int along = wrap_dim(dim, x.rank(), op);
  const Tensor own = x.layout().may_overlap() ? clone(x) : x;  // else its gradient would be ambiguous
  const Tensor from = x.rank() == 0 ? unsqueeze(own, 0) : own;
  const std::int64_t length = from.shape()[along];
  if (size < 0 || size > length)
    throw ShapeError(str(op, ": size must be between 0 and that of dimension ", along, ", got ", size, " for ", x));
  if (step < 1) throw ValueError(str(op, ": step must be positive, got ", step));
  Layout layout = from.layout();
  const std::int64_t stride = layout.strides[along], count = (length - size) / step + 1;
  layout.shape[along] = count;
  layout.strides[along] = count > 1 ? detail::fit(detail::Wide{stride} * step, op) : 0;
  layout.shape.push_back(size);
  layout.strides.push_back(stride);
  return x.rank() == 0 ? select(as_strided(from, layout), 0, 0) : as_strided(from, layout);
}

Tensor tile(const Tensor& x, const Shape& counts) {
  detail::check_defined("tile", x);
  for (const std::int64_t count : counts)
    if (count < 0) throw ValueError(str("tile: counts must not be negative, got ", counts));
  Shape all = Shape::filled(std::max(0, x.rank() - counts.rank()), 1);
  for (const std::int64_t count : counts) all.push_back(count);
  return repeat(x, all);
}

Tensor rot90(const Tensor& x, std::int64_t times, const Shape& dims) {
  constexpr const char* op = "rot90";
  detail::check_defined(op, x);
  if (dims.rank() != 2) throw ValueError(str(op, ": needs two dimensions, got ", dims));
  const int first = wrap_dim(dims[0], x.rank(), op), second = wrap_dim(dims[1], x.rank(), op);
  if (first == second) throw ValueError(str(op, ": the dimensions must differ, got ", dims));
  switch ((times % 4 + 4) % 4) {
    case 1: return transpose(flip(x, {second}), first, second);
    case 2: return flip(x, {first, second});
    case 3: return transpose(flip(x, {first}), first, second);
    default: return x;
  }
}

Tensor fliplr(const Tensor& x) {
  detail::check_defined("fliplr", x);
  if (x.rank() < 2) throw ShapeError(str("fliplr: x needs at least two dimensions, got ", x));
  return flip(x, {1});
}

Tensor flipud(const Tensor& x) {
  detail::check_defined("flipud", x);
  if (x.rank() < 1) throw ShapeError(str("flipud: x needs at least one dimension, got ", x));
  return flip(x, {0});
}

Tensor atleast_1d(const Tensor& x) {
  detail::check_defined("atleast_1d", x);
  return x.rank() == 0 ? unsqueeze(x, 0) : x;
}

Tensor atleast_2d(const Tensor& x) {
  detail::check_defined("atleast_2d", x);
  return x.rank() < 2 ? unsqueeze(atleast_1d(x), 0) : x;
}

Tensor atleast_3d(const Tensor& x) {
  detail::check_defined("atleast_3d", x);
  return x.rank() < 3 ? unsqueeze(atleast_2d(x), -1) : x;
}

Tensor hstack(std::span<const Tensor> tensors) { return joined("hstack", tensors, 1, atleast_1d); }
Tensor vstack(std::span<const Tensor> tensors) { return joined("vstack", tensors, 0, atleast_2d); }
Tensor dstack(std::span<const Tensor> tensors) { return joined("dstack", tensors, 2, atleast_3d); }
Tensor column_stack(std::span<const Tensor> tensors) {
  return joined("column_stack", tensors, 1,
                [](const Tensor& x) { return x.rank() < 2 ? unsqueeze(atleast_1d(x), 1) : x; });
}

std::vector<Tensor> tensor_split(const Tensor& x, std::int64_t count, std::int64_t dim) {
  constexpr const char* op = "tensor_split";
  const int along = checked_dim(op, x, dim);
  if (count < 1) throw ValueError(str(op, ": count must be positive, got ", count));
  detail::expect_room(count, sizeof(Tensor) + sizeof(TensorImpl), op);
  const std::int64_t size = x.shape()[along], least = size / count, longer = size % count;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), least);
  std::fill_n(sizes.begin(), longer, least + 1);
  return split_with_sizes(x, sizes, along);
}

std::vector<Tensor> tensor_split_at(const Tensor& x, const std::vector<std::int64_t>& positions, std::int64_t dim) {
  const int along = checked_dim("tensor_split_at", x, dim);
  std::vector<Tensor> pieces;
  std::int64_t start = 0;
  for (const std::int64_t position : positions) {
    pieces.push_back(slice(x, along, start, position));
    start = position;
  }
  pieces.push_back(slice(x, along, start));
  return pieces;
}

std::vector<Tensor> broadcast_tensors(std::span<const Tensor> tensors) {
  constexpr const char* op = "broadcast_tensors";
  Shape shape;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    detail::check_defined(op, tensors[i], static_cast<int>(i));
    shape = broadcast(shape, tensors[i].shape(), op);
  }
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (const Tensor& x : tensors) result.push_back(expand(x, shape));
  return result;
}

}  // namespace minima
