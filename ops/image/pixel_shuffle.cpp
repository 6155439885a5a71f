#include <minima/ops/image/pixel_shuffle.h>

#include <minima/ops/op.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <cstdint>

namespace minima {

namespace {

void check(const char* op, const Tensor& x, std::int64_t r) {
  detail::check_defined(op, x);
  if (x.rank() < 3) throw ShapeError(str(op, ": x must be [..., C, H, W], got ", x));
  if (r < 1) throw ValueError(str(op, ": r must be at least 1, got ", r));
}

/// [..., C, H, W] with the last three dimensions replaced.
Shape with_image(const Shape& x, const Shape& last) {
  Shape shape = x;
  shape.resize(x.rank() - 3);
  for (const std::int64_t size : last) shape.push_back(size);
  return shape;
}

/// x's leading dimensions, then five more in this order.
Tensor permuted(const Tensor& x, const Shape& order) {
  const int first = x.rank() - order.rank();
  Shape all;
  for (int d = 0; d < first; ++d) all.push_back(d);
  for (const std::int64_t d : order) all.push_back(first + d);
  return permute(x, all);
}

}  // namespace

Tensor pixel_shuffle(const Tensor& x, std::int64_t r) {
  check("pixel_shuffle", x, r);
  const std::int64_t channels = x.size(-3), height = x.size(-2), width = x.size(-1);
  const std::int64_t square = detail::fit(detail::Wide{r} * r, "pixel_shuffle");
  if (channels % square != 0)
    throw ShapeError(str("pixel_shuffle: the square of ", r, " does not divide the ", channels, " channels of x ", x));
  const std::int64_t c = channels / square;
  const Shape shape = with_image(x.shape(), {c, detail::fit(detail::Wide{height} * r, "pixel_shuffle"),
                                             detail::fit(detail::Wide{width} * r, "pixel_shuffle")});
  detail::checked_numel(shape, "pixel_shuffle");
  const Tensor parts = reshape(x, with_image(x.shape(), {c, r, r, height, width}));
  return reshape(permuted(parts, {0, 3, 1, 4, 2}), shape);
}

Tensor pixel_unshuffle(const Tensor& x, std::int64_t r) {
  check("pixel_unshuffle", x, r);
  const std::int64_t c = x.size(-3), height = x.size(-2), width = x.size(-1);
  if (height % r != 0 || width % r != 0)
    throw ShapeError(str("pixel_unshuffle: ", r, " does not divide the height and width of x ", x));
  const std::int64_t channels = detail::fit(detail::Wide{c} * r * r, "pixel_unshuffle");
  const Shape shape = with_image(x.shape(), {channels, height / r, width / r});
  detail::checked_numel(shape, "pixel_unshuffle");
  const Tensor parts = reshape(x, with_image(x.shape(), {c, height / r, r, width / r, r}));
  return reshape(permuted(parts, {0, 2, 4, 1, 3}), shape);
}

Tensor channel_shuffle(const Tensor& x, std::int64_t groups) {
  detail::check_defined("channel_shuffle", x);
  if (x.rank() < 3) throw ShapeError(str("channel_shuffle: needs x [N, C, ...], got ", x));
  if (groups < 1 || x.size(1) % groups != 0)
    throw ValueError(str("channel_shuffle: groups = ", groups, " must divide the ", x.size(1), " channels"));
  return flatten(transpose(unflatten(x, 1, {groups, x.size(1) / groups}), 1, 2), 1, 2);
}

}  // namespace minima
