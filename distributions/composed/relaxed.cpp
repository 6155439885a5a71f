#include <minima/distributions/composed/relaxed.h>

#include <minima/distributions/composed/transformed.h>
#include <minima/distributions/continuous/normal.h>
#include <minima/distributions/core/distribution.h>
#include <minima/distributions/discrete/bernoulli.h>
#include <minima/distributions/discrete/categorical.h>
#include <minima/distributions/transforms/elementwise.h>
#include <minima/distributions/transforms/vectors.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace minima::distributions {

namespace {

/// log u - log(1 - u) of uniform numbers u.
Tensor logistic_noise(const Shape& shape, const Tensor& parameter, RandomGenerator* generator) {
  const Tensor u = detail::open_uniform(shape, parameter, generator);
  return log(u) - log1p(neg(u));
}

}  // namespace

LogitRelaxedBernoulli::LogitRelaxedBernoulli(const Argument& temperature, const ProbsOrLogits& given)
    : LogitRelaxedBernoulli(
          detail::broadcast_arguments("LogitRelaxedBernoulli", {Bernoulli(given).logits, temperature})) {}
LogitRelaxedBernoulli::LogitRelaxedBernoulli(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}), temperature(std::move(parameters[1])), logits(std::move(parameters[0])) {
  detail::expect_positive("LogitRelaxedBernoulli", "temperature", temperature);
}

Tensor LogitRelaxedBernoulli::draw(const Shape& shape, RandomGenerator* generator) const {
  return detail::rounded_draw((logistic_noise(shape, logits, generator) + logits) / temperature, logits.dtype());
}
Tensor LogitRelaxedBernoulli::log_prob(const Tensor& value) const {
  const Tensor supported = abs(value) != std::numeric_limits<double>::infinity();
  const Tensor difference = logits - detail::within(supported, value, 0) * temperature;
  return detail::minus_infinity_outside(supported, log(temperature) + difference + 2 * log_sigmoid(neg(difference)));
}

RelaxedBernoulli::RelaxedBernoulli(const Argument& temperature, const ProbsOrLogits& given)
    : TransformedDistribution(LogitRelaxedBernoulli(temperature, given), SigmoidTransform()) {}

ExpRelaxedCategorical::ExpRelaxedCategorical(double temperature, const ProbsOrLogits& given)
    : ExpRelaxedCategorical(temperature, Categorical(given)) {}
ExpRelaxedCategorical::ExpRelaxedCategorical(double temperature, const Categorical& categorical)
    : Distribution(categorical.batch_shape(), {categorical.logits.size(-1)}),
      temperature(temperature),
      logits(categorical.logits) {
  minima::detail::check_number("ExpRelaxedCategorical", "temperature", temperature, minima::detail::positive);
}

Tensor ExpRelaxedCategorical::draw(const Shape& shape, RandomGenerator* generator) const {
  const Tensor noise = neg(log(neg(log(detail::open_uniform(shape, logits, generator)))));
  return detail::rounded_draw(log_softmax((logits + noise) / temperature, -1), logits.dtype());
}
Tensor ExpRelaxedCategorical::log_prob(const Tensor& value) const {
  const auto classes = static_cast<double>(event_shape()[0]);
  const double constant = std::lgamma(classes) + (classes - 1) * std::log(temperature);
  return sum(log_softmax(logits - value * temperature, -1), -1) + constant;
}

RelaxedOneHotCategorical::RelaxedOneHotCategorical(double temperature, const ProbsOrLogits& given)
    : TransformedDistribution(ExpRelaxedCategorical(temperature, given), ExpTransform()) {}

Tensor RelaxedOneHotCategorical::log_prob(const Tensor& value) const {
  return detail::minus_infinity_outside(
      detail::on_simplex(value, static_cast<const ExpRelaxedCategorical&>(*base).logits),
      TransformedDistribution::log_prob(value));
}

Tensor OneHotCategoricalStraightThrough::draw(const Shape& shape, RandomGenerator* generator) const {
  const Tensor& probs = categorical.probs;
  return OneHotCategorical::draw(shape, generator) + (probs - probs.detach());
}

LogisticNormal::LogisticNormal(const Argument& loc, const Argument& scale)
    : TransformedDistribution(Normal(loc, scale), StickBreakingTransform()) {}
Tensor LogisticNormal::log_prob(const Tensor& value) const {
  return detail::minus_infinity_outside(detail::on_simplex(value, static_cast<const Normal&>(*base).loc),
                                        TransformedDistribution::log_prob(value));
}

}  // namespace minima::distributions
