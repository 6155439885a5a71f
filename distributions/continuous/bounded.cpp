#include <minima/distributions/continuous/bounded.h>

#include <minima/autograd/mode.h>
#include <minima/distributions/core/distribution.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/ops.h>
#include <minima/ops/special/bessel.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace minima::distributions {

namespace {

constexpr double lowest = 0.499, highest = 0.501;
constexpr double flat = 1e-6;  // the logit below which densities are linear

}  // namespace

ContinuousBernoulli::ContinuousBernoulli(const ProbsOrLogits& given)
    : Distribution(detail::given("ContinuousBernoulli", given).shape(), {}) {
  if (given.probs.defined()) detail::expect_probabilities("ContinuousBernoulli", given.probs);
  probs = detail::clamp_probs(given.probs.defined() ? given.probs : sigmoid(given.logits));
  logits = given.logits.defined() ? given.logits : logit(probs);
  far_from_half_ = (probs < lowest) | (probs > highest);
  shifted_ = where(far_from_half_, probs, lowest);
}

Tensor ContinuousBernoulli::log_normalizer() const {
  const Tensor below = shifted_ < 0.5;
  const Tensor formula = log(abs(log1p(-shifted_) - log(shifted_))) -
                         where(below, log1p(where(below, shifted_, 0) * -2), log(where(below, 1, shifted_) * 2 - 1));
  const Tensor x = square(probs - 0.5);
  return where(far_from_half_, formula, std::log(2) + (4.0 / 3 + 104.0 / 45 * x) * x);
}

Tensor ContinuousBernoulli::log_prob(const Tensor& value) const {
  const Tensor pair[] = {logits, value};
  const std::vector<Tensor> both = broadcast_tensors(pair);
  const Tensor inside =
      log_normalizer() - binary_cross_entropy_with_logits(both[0], both[1], {.reduction = Reduction::none});
  return detail::minus_infinity_outside((value >= 0) & (value <= 1), inside);
}

Tensor ContinuousBernoulli::mean() const {
  const Tensor formula = shifted_ / (shifted_ * 2 - 1) + reciprocal(log1p(-shifted_) - log(shifted_));
  const Tensor x = probs - 0.5;
  return where(far_from_half_, formula, 0.5 + (1.0 / 3 + 16.0 / 45 * square(x)) * x);
}

Tensor ContinuousBernoulli::variance() const {
  const Tensor formula =
      shifted_ * (shifted_ - 1) / square(1 - shifted_ * 2) + reciprocal(square(log1p(-shifted_) - log(shifted_)));
  const Tensor x = square(probs - 0.5);
  return where(far_from_half_, formula, 1.0 / 12 - (1.0 / 15 - 128.0 / 945 * x) * x);
}

Tensor ContinuousBernoulli::entropy() const { return -mean() * logits - log_normalizer() - log1p(-probs); }

Tensor ContinuousBernoulli::cdf(const Tensor& value) const {
  const Tensor x = clamp(value, 0, 1), slope = logit(probs), is_flat = abs(slope) < flat;
  const Tensor steep = where(is_flat, 1, slope);
  return where(is_flat, x * (1 + (x - 1) * slope * 0.5), expm1(x * steep) / expm1(steep));
}

Tensor ContinuousBernoulli::icdf(const Tensor& probability) const {
  const Tensor slope = logit(probs), is_flat = abs(slope) < flat, steep = where(is_flat, 1, slope);
  return where(is_flat, probability * (1 + (1 - probability) * slope * 0.5), log1p(probability * expm1(steep)) / steep);
}

Tensor ContinuousBernoulli::draw(const Shape& shape, RandomGenerator* generator) const {
  return clamp(icdf(detail::open_uniform(shape, probs, generator)), 0, 1).to(probs.dtype());
}

VonMises::VonMises(const Argument& loc, const Argument& concentration)
    : VonMises(detail::broadcast_arguments("VonMises", {loc, concentration})) {}
VonMises::VonMises(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}), loc(std::move(parameters[0])), concentration(std::move(parameters[1])) {
  detail::expect_real("VonMises", "loc", loc);
  detail::expect_positive("VonMises", "concentration", concentration);
}

// κ·cos(x - loc) - κ is -2κ·sin²: I₀ is scaled by e^-κ.
Tensor VonMises::log_prob(const Tensor& value) const {
  const Tensor supported = abs(value) != std::numeric_limits<double>::infinity();
  const Tensor turned = cos(detail::within(supported, value, 0) - loc) - 1;
  return detail::minus_infinity_outside(
      supported, concentration * turned - log(i0e(concentration)) - std::log(2 * std::numbers::pi));
}

Tensor VonMises::entropy() const {
  const Tensor size = i0e(concentration);
  return log(size) + std::log(2 * std::numbers::pi) + concentration * (1 - i1e(concentration) / size);
}

Tensor VonMises::variance() const { return 1 - i1e(concentration) / i0e(concentration); }

// Proposals from a wrapped Cauchy distribution, in float64.
Tensor VonMises::draw(const Shape& shape, RandomGenerator* generator) const {
  const NoGrad constant;
  const Tensor k = concentration.detach().to(float64);
  const Tensor tau = 1 + sqrt(1 + 4 * square(k)), rho = (tau - sqrt(2 * tau)) / (2 * k);
  const Tensor r = expand(where(k < 1e-5, reciprocal(k) + k, (1 + square(rho)) / (2 * rho)), shape);
  Tensor angle = zeros(shape, detail::options_of(k)), missing = ones(shape, {.dtype = boolean, .device = k.device()});
  while (any(missing).item<bool>()) {
    const Tensor z = cos(std::numbers::pi * detail::open_uniform(shape, k, generator)),
                 u = detail::open_uniform(shape, k, generator);
    const Tensor f = (1 + r * z) / (r + z), c = k * (r - f);
    const Tensor accepted = ((c * (2 - c) - u > 0) | (log(c / u) + 1 - c >= 0)) & missing;
    const Tensor turned = sign(detail::open_uniform(shape, k, generator) - 0.5) * acos(clamp(f, -1, 1));
    angle = where(accepted, turned, angle);
    missing = missing & ~accepted;
  }
  const Tensor turned =
      remainder(angle + std::numbers::pi + loc.detach().to(float64), 2 * std::numbers::pi) - std::numbers::pi;
  return turned.to(loc.dtype());
}

}  // namespace minima::distributions
