#include <minima/ops/group_norm/group_norm.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/layer_norm/layer_norm.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/view.h>

namespace minima {

namespace {

/// One value per channel, so that it broadcasts along the others.
Tensor per_channel(const char* what, const Tensor& values, const Tensor& x) {
  if (values.shape() != Shape{x.shape()[1]})
    throw ShapeError(str("group_norm: ", what, " must have one element for each of the ", x.shape()[1], " channels of x ", x, ", got ", values));
  Shape shape;
  for (int d = 0; d < x.rank(); ++d) shape.push_back(d == 1 ? x.shape()[1] : 1);
  return reshape(values, shape);
}

}  // namespace

Tensor group_norm(const Tensor& input, std::int64_t groups, const Tensor& weight, const Tensor& bias, double eps) {
  detail::check_defined("group_norm", input);
  const Tensor x = detail::autocast(Cast::to_float32, input);
  const detail::WithoutAutocast inside;
  if (!is_floating(x.dtype())) throw DTypeError(str("group_norm: x must be floating, got ", x, "; convert it with to()"));
  if (x.rank() < 2 || groups < 1 || x.shape()[1] % groups != 0)
    throw ShapeError(str("group_norm: ", groups, " groups must divide the channels (dimension 1) of x ", x));
  // Each group of a sample is one row, which layer_norm's kernels normalise in one pass.
  Tensor y = is_half(x.dtype()) ? cast(x, DType::float32) : x;
  if (x.numel() > 0) {
    const std::int64_t rows = x.shape()[0] * groups;
    y = reshape(layer_norm(reshape(y, {rows, x.numel() / rows}), {x.numel() / rows}, {}, {}, eps), x.shape());
  }
  if (weight.defined()) y = y * per_channel("weight", weight, x);
  if (bias.defined()) y = y + per_channel("bias", bias, x);
  return cast(y, x.dtype());
}

}  // namespace minima
