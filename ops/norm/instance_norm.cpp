#include <minima/ops/norm/instance_norm.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/norm/batch_norm.h>
#include <minima/ops/norm/group_norm.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pooling/avg_pool.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/pad.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>

#include <cstdint>

namespace minima {

namespace {

/// running = (1 - momentum) · running + momentum · now
void average_into(const Tensor& running, const Tensor& now, double momentum) {
  mul_(running, 1 - momentum);
  add_(running, (now * momentum).to(running.dtype()));
}

void update(const Tensor& x, const Tensor& running_mean, const Tensor& running_var, double momentum) {
  const NoGrad guard;
  Shape positions;
  for (int d = 2; d < x.rank(); ++d) positions.push_back(d);
  const Tensor wide = is_half(x.dtype()) ? x.to(DType::float32) : x;
  if (running_mean.defined()) average_into(running_mean, mean(mean(wide, positions), {0}), momentum);
  if (running_var.defined()) average_into(running_var, mean(var(wide, positions, 1), {0}), momentum);
}

}  // namespace

Tensor instance_norm(const Tensor& x, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight,
                     const Tensor& bias, const InstanceNormOptions& o) {
  constexpr const char* op = "instance_norm";
  detail::check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
  if (x.rank() < 3) throw ShapeError(str(op, ": x must be [N, C, d1, …], got ", x));
  detail::check_number(op, "eps", o.eps, detail::not_negative);
  detail::check_number(op, "momentum", o.momentum, detail::fraction);
  const Shape channels{x.size(1)};
  for (const Tensor* t : {&running_mean, &running_var, &weight, &bias})
    if (t->defined() && t->shape() != channels)
      throw ShapeError(str(op, ": weight, bias and running statistics must be ", channels, " for x ", x, ", got ", *t));
  if (!o.use_input_stats) {
    if (!running_mean.defined() || !running_var.defined())
      throw ValueError(str(op, ": without use_input_stats both running statistics are needed"));
    return batch_norm(x, weight, bias, running_mean, running_var, {.training = false, .eps = o.eps});
  }
  std::int64_t positions = 1;
  for (int d = 2; d < x.rank(); ++d) positions *= x.size(d);
  if (positions == 1) throw ValueError(str(op, ": needs more than one position per channel, got x ", x));
  Tensor y = group_norm(x, x.size(1) > 0 ? x.size(1) : 1, weight, bias, o.eps);
  if (x.numel() > 0 && !is_recomputing()) update(x.detach(), running_mean, running_var, o.momentum);
  return y;
}

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
