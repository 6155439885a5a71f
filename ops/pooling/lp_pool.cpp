#include <minima/ops/pooling/lp_pool.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>  // IWYU pragma: keep
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pooling/avg_pool.h>

#include <cmath>

namespace minima {

namespace {

/// `mean(z)` averages the windows of z, which have `elements` elements each. A window that ends outside x (ceil_mode)
/// counts as whole, as in PyTorch. Half types stay in float32 until the end.
template <class F>
Tensor pooled(const char* op, const Tensor& x, double p, double elements, F&& mean) {
  detail::check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
  if (!(p > 0) || std::isinf(p)) throw ValueError(str(op, ": p must be positive and finite, got ", p));
  const Tensor wide = detail::in_full(x);
  const Tensor y = pow(mean(pow(wide, p)) * elements, 1 / p);
  return is_half(x.dtype()) ? cast(y, x.dtype()) : y;
}

}  // namespace

Tensor lp_pool1d(const Tensor& x, double p, const LpPool1dOptions& o) {
  return pooled("lp_pool1d", x, p, static_cast<double>(o.kernel), [&](const Tensor& z) {
    return avg_pool1d(z, {.kernel = o.kernel, .stride = o.stride, .ceil_mode = o.ceil_mode});
  });
}

Tensor lp_pool2d(const Tensor& x, double p, const LpPool2dOptions& o) {
  const double elements = static_cast<double>(o.kernel.height) * static_cast<double>(o.kernel.width);
  return pooled("lp_pool2d", x, p, elements, [&](const Tensor& z) {
    return avg_pool2d(z, {.kernel = o.kernel, .stride = o.stride, .ceil_mode = o.ceil_mode});
  });
}

Tensor lp_pool3d(const Tensor& x, double p, const LpPool3dOptions& o) {
  const double elements =
      static_cast<double>(o.kernel.depth) * static_cast<double>(o.kernel.height) * static_cast<double>(o.kernel.width);
  return pooled("lp_pool3d", x, p, elements, [&](const Tensor& z) {
    return avg_pool3d(z, {.kernel = o.kernel, .stride = o.stride, .ceil_mode = o.ceil_mode});
  });
}

}  // namespace minima
