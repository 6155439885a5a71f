#include <minima/optim/gradient/clip.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/optim/optimizer.h>
#include <minima/optim/update/gradients.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace minima::optim {

namespace {

Tensor norm_of(const std::vector<Tensor>& parameters, double p) {
  if (!(p > 0)) throw ValueError(str("clip_grad_norm_: p must be positive, got ", p));
  detail::expect_gradients("clip_grad_norm_", parameters);
  Tensor total = detail::power_sum_of(parameters, p);
  if (!total.defined()) return zeros({}, {.dtype = DType::float64});
  if (std::isinf(p)) return total;
  return p == 2 ? sqrt(total) : pow(total, 1 / p);
}

Tensor clip(const std::vector<Tensor>& parameters, double max_norm, double p, bool throws) {
  if (!(max_norm >= 0)) throw ValueError(str("clip_grad_norm_: max_norm must not be negative, got ", max_norm));
  NoGrad guard;
  const std::vector<Tensor> gradients = detail::gradients_of(parameters);
  const Tensor norm = norm_of(parameters, p);
  if (throws)
    if (const double known = norm.item<double>(); !std::isfinite(known))
      throw ValueError(str("clip_grad_norm_: the norm of the gradients is ", known));
  const Tensor factor = clamp(max_norm / (norm + 1e-6), 0, 1);  // NaN stays NaN
  const bool is_known = !minima::detail::on_cuda(norm);
  if (!gradients.empty() && !(is_known && factor.item<double>() == 1)) detail::scale(gradients, factor, {});
  return norm;
}

}  // namespace

Tensor clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double p) {
  return clip(parameters, max_norm, p, false);
}

Tensor clip_grad_norm_or_throw_(const std::vector<Tensor>& parameters, double max_norm, double p) {
  return clip(parameters, max_norm, p, true);
}

std::vector<Tensor> clip_grad_norm_per_group_(const Optimizer& optimizer, double max_norm, double p) {
  std::vector<Tensor> norms;
  norms.reserve(optimizer.group_count());
  for (std::size_t g = 0; g < optimizer.group_count(); ++g)
    norms.push_back(clip_grad_norm_(optimizer.parameters(g), max_norm, p));
  return norms;
}

void clip_grad_value_(const std::vector<Tensor>& parameters, double limit) {
  if (!(limit >= 0)) throw ValueError(str("clip_grad_value_: the limit must not be negative, got ", limit));
  NoGrad guard;
  detail::expect_gradients("clip_grad_value_", parameters);
  for (const Tensor& gradient : detail::gradients_of(parameters)) copy_(gradient, clamp(gradient, -limit, limit));
}

Tensor grad_norm(const std::vector<Tensor>& parameters, double p) {
  NoGrad guard;
  return norm_of(parameters, p);
}

}  // namespace minima::optim
