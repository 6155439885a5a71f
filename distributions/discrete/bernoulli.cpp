#include <minima/distributions/discrete/bernoulli.h>

#include <minima/distributions/core/distribution.h>
#include <minima/ops/ops.h>
#include <minima/tensor/random/generator.h>

namespace minima::distributions {

Bernoulli::Bernoulli(const ProbsOrLogits& given)
    : Distribution(detail::given("Bernoulli", given).shape(), {}),
      probs(given.probs.defined() ? given.probs : sigmoid(given.logits)),
      logits(given.logits.defined() ? given.logits : logit(detail::clamp_probs(given.probs))),
      has_probs_(given.probs.defined()) {
  detail::expect_probabilities("Bernoulli", probs);
}

Tensor Bernoulli::draw(const Shape& shape, RandomGenerator* generator) const {
  return bernoulli(expand(probs.detach(), shape), generator);
}

Tensor Bernoulli::log_prob(const Tensor& value) const {
  const Tensor supported = (value == 0) | (value == 1);
  const Tensor ones = detail::within(supported, value, 0).to(logits.dtype());
  return detail::minus_infinity_outside(
      supported, detail::weighted(ones, log_sigmoid(logits)) + detail::weighted(1 - ones, log_sigmoid(neg(logits))));
}

Tensor Bernoulli::log_success() const { return has_probs_ ? detail::log_or_impossible(probs) : log_sigmoid(logits); }
Tensor Bernoulli::log_failure() const {
  if (!has_probs_) return log_sigmoid(neg(logits));
  const Tensor possible = probs != 1;
  return detail::minus_infinity_outside(possible, log1p(neg(where(possible, probs, 0))));
}

Tensor Bernoulli::entropy() const {
  const Tensor failure = has_probs_ ? 1 - probs : sigmoid(neg(logits));
  return neg(detail::weighted(probs, log_success()) + detail::weighted(failure, log_failure()));
}
Tensor Bernoulli::variance() const { return probs * (1 - probs); }

}  // namespace minima::distributions
