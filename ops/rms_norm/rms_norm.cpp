#include <minima/ops/rms_norm/rms_norm.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/layer_norm/layer_norm_rules.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/sum.h>

namespace minima {

Tensor rms_norm(const Tensor& x, const Shape& normalized, const Tensor& weight, double eps) {
  detail::check_defined("rms_norm", x);
  if (!is_floating(x.dtype())) throw DTypeError(str("rms_norm: x must be floating, got ", x, "; convert it with to()"));
  detail::check_layer_norm("rms_norm", x, normalized, weight, {});
  const Tensor wide = is_half(x.dtype()) ? cast(x, DType::float32) : x;
  Shape dims;
  for (int d = x.rank() - normalized.rank(); d < x.rank(); ++d) dims.push_back(d);
  const Tensor unit = wide * rsqrt(mean(square(wide), dims, true) + eps);
  return cast(weight.defined() ? unit * weight : unit, x.dtype());
}

}  // namespace minima
