#include <minima/ops/loss/likelihood.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/core/unobserved.h>
#include <minima/ops/loss/loss.h>
#include <minima/ops/loss/reduced.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>

#include <cmath>
#include <numbers>

namespace minima {

namespace {

using detail::reduced;

template <class... In>
void check_floating(const char* op, const In&... in) {
  int argument = 0;
  for (const Tensor* x : {&in...}) {
    detail::check_defined(op, *x, argument++);
    if (!is_floating(x->dtype()))
      throw DTypeError(str(op, ": needs floating tensors, got ", *x, "; convert it with to()"));
  }
}

}  // namespace

Tensor gaussian_nll_loss(const Tensor& x, const Tensor& target, const Tensor& variance,
                         const GaussianNllOptions& options) {
  constexpr const char* op = "gaussian_nll_loss";
  check_floating(op, x, target, variance);
  Shape without_last = x.shape();
  if (x.rank() > 0) without_last.erase(x.rank() - 1);
  const bool lacks_last = variance.shape() != x.shape() && variance.shape() == without_last;
  const auto has_sizes_or_one = [&] {
    for (int d = 0; d < x.rank(); ++d)
      if (variance.shape()[d] != x.shape()[d] && variance.shape()[d] != 1) return false;
    return true;
  };
  if (broadcast(x.shape(), target.shape(), op) != x.shape() ||
      (!lacks_last && (variance.rank() != x.rank() || !has_sizes_or_one())))
    throw ShapeError(str(op, ": target must broadcast to the shape of x, and the variance must have its sizes or 1, ",
                         "or lack the last dimension, got ", x, ", ", target, " and ", variance));
  detail::check_number(op, "eps", options.eps, detail::positive);
  const detail::WithoutAutocast guard;
  const Tensor given = lacks_last ? unsqueeze(variance, -1) : variance;
  if (!detail::on_cuda(x) && detail::unobserved([&] { return any(given.detach() < 0).item<bool>(); }))
    throw ValueError(str(op, ": the variance must not be negative, but ", variance, " has such elements"));
  const double constant = options.full ? std::log(2 * std::numbers::pi) / 2 : 0;
  return detail::in_common(
      [&](const Tensor& mean, const Tensor& at, const Tensor& width) {
        const Tensor below = width.detach(), v = width + (clamp_min(below, options.eps) - below);
        return reduced((log(v) + square(mean - at) / v) * 0.5 + constant, options.reduction);
      },
      x, target, given);
}

Tensor poisson_nll_loss(const Tensor& x, const Tensor& target, const PoissonNllOptions& options) {
  constexpr const char* op = "poisson_nll_loss";
  check_floating(op, x, target);
  broadcast(x.shape(), target.shape(), op);
  detail::check_number(op, "eps", options.eps, detail::not_negative);
  const Tensor y = detail::autocast(Cast::to_float32, x), t = detail::autocast(Cast::to_float32, target);
  const detail::WithoutAutocast guard;
  return detail::in_common(
      [&](const Tensor& rate, const Tensor& count) {
        Tensor losses = options.log_input ? exp(rate) - count * rate : rate - count * log(rate + options.eps);
        if (options.full) {
          const Tensor large = count > 1, safe = where(large, count, 1);
          const Tensor stirling = safe * log(safe) - safe + log(safe * (2 * std::numbers::pi)) * 0.5;
          losses = losses + where(large, stirling, 0);
        }
        return reduced(losses, options.reduction);
      },
      y, t);
}

Tensor sigmoid_focal_loss(const Tensor& x, const Tensor& target, const FocalOptions& options) {
  constexpr const char* op = "sigmoid_focal_loss";
  check_floating(op, x, target);
  detail::check_number(op, "alpha", options.alpha, {.high = 1, .has_high = true});
  detail::check_number(op, "gamma", options.gamma, detail::not_negative);
  detail::expect_same_shape(op, x, target);
  const Tensor y = detail::autocast(Cast::to_float32, x), t = detail::autocast(Cast::to_float32, target);
  const detail::WithoutAutocast guard;
  return detail::in_common(
      [&](const Tensor& logits, const Tensor& label) {
        const Tensor p = sigmoid(logits);
        const Tensor entropy = binary_cross_entropy_with_logits(logits, label, {.reduction = Reduction::none});
        const Tensor miss = p + label - p * label * 2;  // 1 - p_t
        Tensor losses = entropy * (options.gamma == 2 ? square(miss) : pow(miss, options.gamma));
        if (options.alpha >= 0) losses = losses * (label * (2 * options.alpha - 1) + (1 - options.alpha));
        return reduced(losses, options.reduction);
      },
      y, t);
}

Tensor dice_loss(const Tensor& p, const Tensor& target, const DiceOptions& options) {
  constexpr const char* op = "dice_loss";
  check_floating(op, p, target);
  detail::check_number(op, "smooth", options.smooth, detail::not_negative);
  detail::expect_same_shape(op, p, target);
  if (p.rank() < 2) throw ShapeError(str(op, ": p must be [N, …] with at least two dimensions, got ", p));
  const Tensor x = flatten(detail::autocast(Cast::to_float32, p), 1);
  const Tensor t = flatten(detail::autocast(Cast::to_float32, target), 1);
  const detail::WithoutAutocast guard;
  return detail::in_common(
      [&](const Tensor& given, const Tensor& wanted) {
        const Tensor overlap = sum(given * wanted, {1}) * 2 + options.smooth;
        const Tensor total = sum(given, {1}) + sum(wanted, {1}) + options.smooth;
        return reduced(1 - overlap / total, options.reduction);
      },
      x, t);
}

}  // namespace minima
