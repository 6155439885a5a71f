#include <minima/ops/instance_norm/instance_norm.h>

#include <minima/autograd/mode.h>
#include <minima/ops/batch_norm/batch_norm.h>
#include <minima/ops/group_norm/group_norm.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
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

}  // namespace minima
