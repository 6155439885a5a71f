#include <minima/ops/loss/loss.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/core/unobserved.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/common.h>
#include <minima/ops/index/select.h>
#include <minima/ops/loss/loss_functors.h>
#include <minima/ops/loss/reduced.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>

#include <cmath>

namespace minima {

namespace functor = pointwise::functor;

using detail::reduced;

namespace {

/// The fused derivative with respect to x. Never recorded, so it needs no gradient.
template <class F>
struct LossGradient : Ternary<LossGradient<F>, F, full_floating> {
  static constexpr Traits traits{.name = "loss_gradient"};
};
template <class F>
Tensor loss_gradient(const F& f, const Tensor& g, const Tensor& x, const Tensor& t) {
  LossGradient<F> op;
  op.f = f;
  return apply(op, g, x, t);
}

template <class Self, class F>
using Loss = Binary<Self, F, full_floating>;

/// A loss of x - t: the derivatives with respect to x and t are opposite. Self has slope(z), the derivative by z = x -
/// t.
template <class Self, class F, class Gradient>
struct DifferenceLoss : Loss<Self, F> {
  Gradients<2> gradient(Grad g, Input<0> x, Input<1> t, Needs needs) const {
    const Tensor dx = g * static_cast<const Self*>(this)->slope(x - t);
    return {dx, needs[1] ? -dx : Tensor()};
  }
  Gradients<2> fast_gradient(Grad g, Input<0> x, Input<1> t, Needs needs) const {
    const Tensor dx = loss_gradient(static_cast<const Self*>(this)->fused(), g, x, t);
    return {dx, needs[1] ? -dx : Tensor()};
  }
};

struct SquaredError : DifferenceLoss<SquaredError, functor::SquaredError, functor::SquaredErrorGradient> {
  static constexpr Traits traits{.name = "mse_loss", .autocast = Cast::to_float32};
  Tensor slope(const Tensor& z) const { return z * 2; }
  functor::SquaredErrorGradient fused() const { return {}; }
};
struct AbsoluteError : DifferenceLoss<AbsoluteError, functor::AbsoluteError, functor::AbsoluteErrorGradient> {
  static constexpr Traits traits{.name = "l1_loss", .autocast = Cast::to_float32};
  Tensor slope(const Tensor& z) const { return sign(z); }
  functor::AbsoluteErrorGradient fused() const { return {}; }
};
template <class Self>
struct HuberFamily : DifferenceLoss<Self, functor::HuberLoss, functor::HuberLossGradient> {
  Tensor slope(const Tensor& z) const {
    return where(abs(z) > this->f.corner, sign(z) * this->f.slope, z * (this->f.slope / this->f.corner));
  }
  functor::HuberLossGradient fused() const { return {this->f.corner, this->f.slope}; }
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.number("corner", this->f.corner);
    visitor.number("slope", this->f.slope);
  }
};
struct SmoothL1 : HuberFamily<SmoothL1> {
  static constexpr Traits traits{.name = "smooth_l1_loss", .autocast = Cast::to_float32};
};
struct Huber : HuberFamily<Huber> {
  static constexpr Traits traits{.name = "huber_loss", .autocast = Cast::to_float32};
};

struct BceWithLogits : Loss<BceWithLogits, functor::BceWithLogits> {
  static constexpr Traits traits{.name = "binary_cross_entropy_with_logits", .autocast = Cast::to_float32};
  Gradients<2> gradient(Grad g, Input<0> x, Input<1, 0> t, Needs needs) const {
    return {needs[0] ? g * (sigmoid(x) - t) : Tensor(), needs[1] ? -(g * x) : Tensor()};
  }
  Gradients<2> fast_gradient(Grad g, Input<0> x, Input<1, 0> t, Needs needs) const {
    return {needs[0] ? loss_gradient(functor::BceWithLogitsGradient{}, g, x, t) : Tensor(),
            needs[1] ? -(g * x) : Tensor()};
  }
};

struct Bce : Loss<Bce, functor::Bce> {
  static constexpr Traits traits{.name = "binary_cross_entropy", .autocast = Cast::to_float32};
  Gradients<2> gradient(Grad g, Input<0> p, Input<1, 0> t, Needs needs) const {
    return {needs[0] ? g * (p - t) / maximum((1 - p) * p, full({}, 1e-12, {.dtype = p.dtype(), .device = p.device()}))
                     : Tensor(),
            needs[1] ? by_target(g, p) : Tensor()};
  }
  Gradients<2> fast_gradient(Grad g, Input<0> p, Input<1, 0> t, Needs needs) const {
    return {needs[0] ? loss_gradient(functor::BceGradient{}, g, p, t) : Tensor(),
            needs[1] ? by_target(g, p) : Tensor()};
  }

 private:
  static Tensor by_target(const Tensor& g, const Tensor& p) { return g * (log1p(-p) - log(p)); }
};

struct KlDivergence : Loss<KlDivergence, functor::KlDivergence> {
  static constexpr Traits traits{.name = "kl_div", .autocast = Cast::to_float32};
  Gradients<2> gradient(Grad g, Input<0, 1> x, Input<1> t, Needs needs) const {
    return {needs[0] ? -(g * t) : Tensor(), needs[1] ? g * (log(t) + 1 - x) : Tensor()};
  }
};

struct KlDivergenceOfLogs : Loss<KlDivergenceOfLogs, functor::KlDivergenceOfLogs> {
  static constexpr Traits traits{.name = "kl_div_log_target", .autocast = Cast::to_float32};
  Gradients<2> gradient(Grad g, Input<0, 1> x, Input<1> t, Needs needs) const {
    const Tensor weighted = g * exp(t);
    return {needs[0] ? -weighted : Tensor(), needs[1] ? weighted * (t - x + 1) : Tensor()};
  }
};

void check_pair(const char* op, const Tensor& x, const Tensor& target) {
  detail::check_defined(op, x);
  detail::check_defined(op, target, 1);
  if (!is_floating(x.dtype())) throw DTypeError(str(op, ": x must be floating, got ", x, "; convert it with to()"));
  detail::expect_same_shape(op, x, target);
}

template <class Op>
Tensor loss(const Op& op, const Tensor& x, const Tensor& target, Reduction reduction) {
  check_pair(Op::traits.name, x, target);
  return reduced(apply(op, x, target), reduction);
}

/// Out-of-range probabilities make the loss NaN. On the CPU that is an error; on a device, checking would synchronise.
void expect_probabilities(const Tensor& p, const Tensor& target, const Tensor& loss) {
  if (detail::on_cuda(p)) return;
  const NoGrad guard;
  const detail::Unobserved unobserved;
  if (p.numel() == 0 || !std::isnan((loss.rank() == 0 ? loss : sum(loss)).item<double>())) return;
  const auto outside = [](const Tensor& x) { return any(logical_not(logical_and(x >= 0, x <= 1))).item<bool>(); };
  if (outside(p))
    throw ValueError(str("binary_cross_entropy: x must hold probabilities in [0, 1], but ", p,
                         " has other values; use binary_cross_entropy_with_logits for logits"));
  if (outside(target))
    throw ValueError(
        str("binary_cross_entropy: target must hold probabilities in [0, 1], but ", target, " has other values"));
}

/// Checks a weight for the elements of x; errors name it.
void expect_broadcast(const char* op, const char* what, const Tensor& weight, const Tensor& x) {
  if (weight.defined() && broadcast(x.shape(), weight.shape(), op) != x.shape())
    throw ShapeError(str(op, ": ", what, " ", weight, " must broadcast to the shape of x ", x));
}

}  // namespace

Tensor mse_loss(const Tensor& x, const Tensor& target, Reduction reduction) {
  return loss(SquaredError{}, x, target, reduction);
}

Tensor l1_loss(const Tensor& x, const Tensor& target, Reduction reduction) {
  return loss(AbsoluteError{}, x, target, reduction);
}

Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, double beta, Reduction reduction) {
  detail::check_number("smooth_l1_loss", "beta", beta, detail::not_negative);
  if (beta == 0) {
    check_pair(SmoothL1::traits.name, x, target);
    return l1_loss(x, target, reduction);
  }
  SmoothL1 op;
  op.f = {.corner = beta, .slope = 1};
  return loss(op, x, target, reduction);
}

Tensor huber_loss(const Tensor& x, const Tensor& target, double delta, Reduction reduction) {
  detail::check_number("huber_loss", "delta", delta, detail::positive);
  Huber op;
  op.f = {.corner = delta, .slope = delta};
  return loss(op, x, target, reduction);
}

Tensor binary_cross_entropy(const Tensor& p, const Tensor& target, Reduction reduction) {
  return binary_cross_entropy(p, target, Tensor(), reduction);
}

Tensor binary_cross_entropy(const Tensor& p, const Tensor& target, const Tensor& weight, Reduction reduction) {
  check_pair(Bce::traits.name, p, target);
  expect_broadcast(Bce::traits.name, "weight", weight, p);
  const auto weighted = [&](const Tensor& x, const Tensor& t, const Tensor& w) {
    return reduced(apply(Bce{}, x, t) * w, reduction);
  };
  const Tensor y = weight.defined() ? detail::in_common(weighted, detail::autocast(Cast::to_float32, p), target, weight)
                                    : reduced(apply(Bce{}, p, target), reduction);
  expect_probabilities(p, target, y);
  return y;
}

Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target, const BceOptions& options) {
  constexpr const char* op = BceWithLogits::traits.name;
  check_pair(op, logits, target);
  expect_broadcast(op, "weight", options.weight, logits);
  expect_broadcast(op, "pos_weight", options.pos_weight, logits);
  const Tensor x = detail::autocast(Cast::to_float32, logits);
  // (1 - t)·x + (1 + (w - 1)·t)·log(1 + e⁻ˣ), where log(1 + e⁻ˣ) is -log_sigmoid(x).
  const auto uneven = [](const Tensor& of, const Tensor& t, const Tensor& w) {
    return (1 - t) * of - ((w - 1) * t + 1) * log_sigmoid(of);
  };
  const auto even = [](const Tensor& of, const Tensor& t) { return apply(BceWithLogits{}, of, t); };
  const auto weighted = [](const auto& loss) {
    return [loss](const Tensor& factor, const auto&... in) { return loss(in...) * factor; };
  };
  const Tensor &factor = options.weight, &uneven_by = options.pos_weight;
  const Tensor losses = factor.defined() && uneven_by.defined()
                            ? detail::in_common(weighted(uneven), factor, x, target, uneven_by)
                        : factor.defined()    ? detail::in_common(weighted(even), factor, x, target)
                        : uneven_by.defined() ? detail::in_common(uneven, x, target, uneven_by)
                                              : even(x, target);
  return reduced(losses, options.reduction);
}

Tensor kl_div(const Tensor& x, const Tensor& target, Reduction reduction) {
  return loss(KlDivergence{}, x, target, reduction);
}

Tensor kl_div_log_target(const Tensor& x, const Tensor& target, Reduction reduction) {
  return loss(KlDivergenceOfLogs{}, x, target, reduction);
}

Tensor nll_loss(const Tensor& input, const Tensor& target, const NllOptions& options) {
  detail::check_defined("nll_loss", input);
  const Tensor x = detail::autocast(Cast::to_float32, input);
  detail::check_defined("nll_loss", target, 1);
  const int class_dim = x.rank() == 1 ? 0 : 1;
  Shape expected;
  for (int d = 0; d < x.rank(); ++d)
    if (d != class_dim) expected.push_back(x.shape()[d]);
  if (x.rank() < 1 || target.shape() != expected)
    throw ShapeError(
        str("nll_loss: x must be [C], [N, C] or [N, C, d1, …] and target like it without C, got ", x, " and ", target));
  if (!is_floating(x.dtype())) throw DTypeError(str("nll_loss: x must be floating, got ", x, "; convert it with to()"));
  if (target.dtype() != DType::int64)
    throw DTypeError(str("nll_loss: target must be int64, got ", target, "; convert it with to()"));
  const Tensor& weights = options.weight;
  if (weights.defined() && weights.shape() != Shape{x.shape()[class_dim]})
    throw ShapeError(str("nll_loss: weight must have one element for each of the ", x.shape()[class_dim],
                         " classes, got ", weights));
  if (weights.defined() && !is_floating(weights.dtype()))
    throw DTypeError(str("nll_loss: weight must be floating, got ", weights, "; convert it with to()"));
  const Tensor kept = target != options.ignore_index;
  const Tensor classes = where(kept, target, zeros({}, {.dtype = DType::int64, .device = target.device()}));
  if (!detail::on_cuda(classes)) detail::check_indices("nll_loss", classes, class_dim, x.shape()[class_dim]);
  // In a half type neither the sums nor the number of targets need fit.
  const Tensor picked = detail::in_full(squeeze(gather(x, class_dim, unsqueeze(classes, class_dim)), class_dim));
  Tensor weight = kept.to(picked.dtype());
  if (weights.defined())
    weight = weight * reshape(gather(weights, 0, reshape(classes, {-1})), classes.shape()).to(picked.dtype());
  const Tensor losses = where(kept, -(picked * weight), zeros({}, {.dtype = picked.dtype(), .device = x.device()}));
  const Tensor result = options.reduction == Reduction::none  ? losses
                        : options.reduction == Reduction::sum ? sum(losses)
                                                              : sum(losses) / sum(weight);
  return cast(result, x.dtype());
}

}  // namespace minima
