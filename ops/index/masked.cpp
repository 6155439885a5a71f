#include <minima/ops/index/masked.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/index.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/view.h>

namespace minima {

Tensor masked_select(const Tensor& x, const Tensor& mask) {
  detail::check_defined("masked_select", x);
  detail::check_defined("masked_select", mask, 1);
  if (mask.dtype() != DType::boolean)
    throw DTypeError(str("masked_select: mask must be bool, got ", mask, "; use a comparison, such as x > 0"));
  broadcast(mask.shape(), x.shape(), "masked_select");
  const Tensor both =
      x.shape() == mask.shape() ? Tensor() : logical_or(mask, cast(zeros_like(x.detach()), DType::boolean));
  const Shape& shape = both.defined() ? both.shape() : x.shape();
  const Tensor flags = reshape(expand(mask, shape), {-1});
  return index(reshape(expand(x, shape), {-1}), {flags});
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value) {
  detail::check_defined("masked_fill", x);
  detail::check_defined("masked_fill", mask, 1);
  if (mask.dtype() != DType::boolean)
    throw DTypeError(str("masked_fill: mask must be bool, got ", mask, "; use a comparison, such as x > 0"));
  broadcast(mask.shape(), x.shape(), "masked_fill");
  detail::check_number("masked_fill", value, x.dtype());
  return where(mask, full({}, value, {.dtype = x.dtype(), .device = x.device()}), x);
}

const Tensor& masked_fill_(const Tensor& x, const Tensor& mask, Scalar value) {
  detail::check_defined("masked_fill_", x);
  const Tensor filled = masked_fill(x, mask, value);
  detail::check_in_place("masked_fill_", x, describe(filled));
  return copy_(x, filled);
}

}  // namespace minima
