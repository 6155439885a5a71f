#include <minima/distributions/discrete/categorical.h>

#include <minima/autograd/mode.h>
#include <minima/distributions/core/class_shapes.h>
#include <minima/distributions/core/distribution.h>
#include <minima/distributions/discrete/counts.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstdint>

namespace minima::distributions {

namespace {

Tensor normalised(const Tensor& weights) {
  detail::expect_positive("Categorical", "the sum of probs", sum(weights, -1));
  detail::expect_positive("Categorical", "probs + 1", weights + 1);
  return weights / sum(weights, -1, true);
}

}  // namespace

Categorical::Categorical(const ProbsOrLogits& given)
    : Distribution(detail::without_classes("Categorical", detail::given("Categorical", given)), {}),
      probs(given.probs.defined() ? normalised(given.probs) : softmax(given.logits, -1)),
      logits(given.logits.defined() ? log_softmax(given.logits, -1) : log(detail::clamp_probs(probs))),
      has_probs_(given.probs.defined()) {}

Tensor Categorical::draw(const Shape& shape, RandomGenerator* generator) const {
  const NoGrad constant;
  const std::int64_t classes = probs.shape().back(), rows = numel(batch_shape()), wanted = numel(shape);
  if (wanted == 0) return empty(shape, {.dtype = DType::int64, .device = probs.device()});
  const Tensor drawn = multinomial(reshape(probs, {rows, classes}), wanted / rows, true, generator);
  return reshape(transpose(drawn, 0, 1), shape);
}

Tensor Categorical::log_prob(const Tensor& value) const {
  const Shape shape = broadcast(value.shape(), batch_shape(), "Categorical::log_prob");
  const Tensor whole = expand(value == floor(value), shape);
  const Tensor index = where(whole, expand(value, shape), 0).to(DType::int64);
  const Tensor rows = expand(logits, detail::joined(shape, {logits.shape().back()}));
  return detail::minus_infinity_outside(whole, squeeze(gather(rows, -1, unsqueeze(index, -1)), -1));
}

Tensor Categorical::log_probs() const { return has_probs_ ? detail::log_or_impossible(probs) : logits; }
Tensor Categorical::entropy() const { return neg(sum(detail::weighted(probs, log_probs()), -1)); }

OneHotCategorical::OneHotCategorical(const ProbsOrLogits& given)
    : Distribution(detail::without_classes("OneHotCategorical", detail::given("OneHotCategorical", given)),
                   {detail::classes_of("OneHotCategorical", detail::given("OneHotCategorical", given))}),
      categorical(given) {}

Tensor OneHotCategorical::draw(const Shape& shape, RandomGenerator* generator) const {
  Shape classes = shape;
  classes.resize(shape.rank() - 1);
  return one_hot(draw_from(categorical, classes, generator), event_shape()[0]).to(categorical.probs.dtype());
}

Tensor OneHotCategorical::log_prob(const Tensor& value) const {
  const Tensor ones = sum(value == 1, {-1}), zeros = sum(value == 0, {-1});
  return detail::minus_infinity_outside((ones == 1) & (zeros == event_shape()[0] - 1),
                                        categorical.log_prob(argmax(value, -1)));
}
Tensor OneHotCategorical::variance() const { return categorical.probs * (1 - categorical.probs); }

namespace {

std::int64_t checked_count(std::int64_t total_count) {
  if (total_count < 1) throw ValueError(str("Multinomial: total_count must be at least 1, not ", total_count));
  return total_count;
}

}  // namespace

Multinomial::Multinomial(std::int64_t total_count, const ProbsOrLogits& given)
    : Distribution(detail::without_classes("Multinomial", detail::given("Multinomial", given)),
                   {detail::classes_of("Multinomial", detail::given("Multinomial", given))}),
      total_count(checked_count(total_count)),
      categorical(given) {}

Tensor Multinomial::draw(const Shape& shape, RandomGenerator* generator) const {
  const NoGrad constant;
  const Tensor& probs = categorical.probs;
  Shape draws = detail::joined({total_count}, shape);
  draws.resize(shape.rank());
  const Tensor classes = movedim(draw_from(categorical, draws, generator), {0}, {-1});
  const Tensor zero = zeros(shape, detail::options_of(probs));
  return scatter_add(zero, -1, classes, ones(classes.shape(), detail::options_of(probs)));
}

Tensor Multinomial::log_prob(const Tensor& value) const {
  const Tensor counts = detail::is_count(value), k = detail::counts_within(counts, value, categorical.probs);
  const Tensor total = sum(k, -1), ways = lgamma(total + 1) - sum(lgamma(k + 1), -1);
  return detail::minus_infinity_outside(all(counts, {-1}) & (total == static_cast<double>(total_count)),
                                        ways + sum(detail::weighted(k, categorical.logits), -1));
}

// -log n! + n·H + Σ E[log kᵢ!], where the count kᵢ of each class has a binomial distribution.
Tensor Multinomial::entropy() const {
  const auto n = static_cast<double>(total_count);
  const Tensor trials = n * categorical.entropy() - std::lgamma(n + 1);
  const Binomial counts(total_count, {.probs = categorical.probs});
  return trials + sum(counts.mean_of([](const Tensor& k) { return lgamma(k + 1); }), -1);
}

Tensor Multinomial::mean() const { return static_cast<double>(total_count) * categorical.probs; }
Tensor Multinomial::variance() const { return mean() * (1 - categorical.probs); }

}  // namespace minima::distributions
