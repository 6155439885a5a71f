#include <minima/ops/product/linear.h>

#include <minima/ops/core/op_support.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/products.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

namespace minima {

Tensor bilinear(const Tensor& a, const Tensor& b, const Tensor& weight, const Tensor& bias) {
  detail::check_defined("bilinear", a);
  detail::check_defined("bilinear", b, 1);
  detail::check_defined("bilinear", weight, 2);
  if (weight.rank() != 3 || a.rank() < 1 || b.rank() < 1 || a.size(-1) != weight.size(1) ||
      b.size(-1) != weight.size(2))
    throw ShapeError(
        str("bilinear: needs a [..., A], b [..., B] and weight [K, A, B], got ", a, ", ", b, " and ", weight));
  const Tensor y = einsum("...i,kij,...j->...k", {a, weight, b});
  return bias.defined() ? y + bias : y;
}

}  // namespace minima
