#include <minima/ops/view/view.h>

#include <minima/ops/op.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace minima {

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
  detail::check_defined("unflatten", x);
  const int along = wrap_dim(dim, x.rank(), "unflatten");
  if (x.rank() == 0) throw ShapeError(str("unflatten: x has no dimension to split, got ", x));
  const Shape parts = infer_shape(sizes, x.shape()[along], "unflatten");
  Shape shape;
  for (int d = 0; d < x.rank(); ++d) {
    if (d != along) shape.push_back(x.shape()[d]);
    else
      for (const std::int64_t size : parts) shape.push_back(size);
  }
  return reshape(x, shape);
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

}  // namespace minima
