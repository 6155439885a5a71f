#include <minima/distributions/discrete/bernoulli.h>

#include <minima/distributions/core/distribution.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/ops.h>
#include <minima/tensor/random/generator.h>

#include <vector>

namespace minima::distributions {

Bernoulli::Bernoulli(const ProbsOrLogits& given)
    : Distribution(detail::given("Bernoulli", given).shape(), {}),
      probs(given.probs.defined() ? given.probs : sigmoid(given.logits)),
      logits(given.logits.defined() ? given.logits : logit(detail::clamp_probs(given.probs))) {
  detail::expect_probabilities("Bernoulli", probs);
}

Tensor Bernoulli::draw(const Shape& shape, RandomGenerator* generator) const {
  return bernoulli(expand(probs.detach(), shape), generator);
}

Tensor Bernoulli::log_prob(const Tensor& value) const {
  const Tensor pair[] = {logits, value.to(logits.dtype())};
  const std::vector<Tensor> both = broadcast_tensors(pair);
  return neg(binary_cross_entropy_with_logits(both[0], both[1], {.reduction = Reduction::none}));
}

Tensor Bernoulli::entropy() const { return neg(log_prob(probs)); }
Tensor Bernoulli::variance() const { return probs * (1 - probs); }

}  // namespace minima::distributions
