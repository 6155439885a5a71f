#include <minima/ops/instance_norm/instance_norm.h>

#include <minima/ops/arrange/arrange.h>
#include <minima/ops/avg_pool2d/avg_pool2d.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/copy/in_full.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>

#include <cstdint>

namespace minima {

Tensor local_response_norm(const Tensor& input, const LocalResponseNormOptions& o) {
  constexpr const char* op = "local_response_norm";
  detail::check_defined(op, input);
  const Tensor given = detail::autocast(Cast::to_float32, input);
  const detail::WithoutAutocast guard;
  if (!is_floating(given.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", given, "; convert it with to()"));
  if (given.rank() < 3) throw ShapeError(str(op, ": x must be [N, C, d1, …], got ", given));
  if (o.size < 1) throw ValueError(str(op, ": size must be at least 1, got ", o.size));
  detail::check_number(op, "alpha", o.alpha, detail::finite);
  detail::check_number(op, "beta", o.beta, detail::finite);
  detail::check_number(op, "k", o.k, detail::finite);
  if (given.numel() == 0) return given * 1;
  const Tensor x = detail::in_full(given);
  const std::int64_t channels = x.size(1);
  // Channels as the rows of an image, whose windows are `size` rows high.
  const Tensor rows = reshape(square(x), {x.size(0), 1, channels, x.numel() / (x.size(0) * channels)});
  const Tensor mean = avg_pool2d(pad(rows, {0, 0, o.size / 2, (o.size - 1) / 2}), {.kernel = {o.size, 1}, .stride = 1});
  const Tensor y = x / pow(reshape(mean, x.shape()) * o.alpha + o.k, o.beta);
  return is_half(given.dtype()) ? cast(y, given.dtype()) : y;
}

}  // namespace minima
