#pragma once

#include <minima/distributions/core/distribution.h>
#include <minima/distributions/discrete/categorical.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <utility>

namespace minima::distributions {

/// A mixture of distributions of one family: `components` has the batch shape [..., K], and `mixture` chooses one of K.
///   MixtureSameFamily law(Categorical({.logits = zeros({3})}), Normal(tensor({-1.0, 0.0, 1.0}), 0.1));
template <class Components>
class MixtureSameFamily : public Distribution {
 public:
  /// Throws ShapeError unless the batch of the components is that of the mixture and its classes.
  MixtureSameFamily(Categorical mixture, Components components)
      : Distribution(mixture.batch_shape(), components.event_shape()),
        mixture(std::move(mixture)),
        components(std::move(components)) {
    if (this->components.batch_shape() != this->mixture.logits.shape())
      throw ShapeError(str("MixtureSameFamily: the components have the batch ", this->components.batch_shape(),
                           ", but the mixture chooses among ", this->mixture.logits.shape()));
  }
  Tensor log_prob(const Tensor& value) const override;
  Tensor mean() const override { return weighted(components.mean()); }
  Tensor variance() const override;
  /// The weighted sum of the components', of numbers. Throws ValueError where these have no formula.
  Tensor cdf(const Tensor& value) const override;
  const char* name() const override { return "MixtureSameFamily"; }

  Categorical mixture;
  Components components;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  int place() const { return -1 - event_shape().rank(); }  ///< of the components' dimension
  Tensor weighted(const Tensor& moments) const;
};

namespace detail {
/// log Σ exp(log p + log weight) over the components' dimension, the last one of log_prob.
MINIMA_API Tensor mix_log_probs(const Tensor& log_probs, const Tensor& logits);
/// Σ weights·x over the dimension of components at `place`.
MINIMA_API Tensor mix(const Tensor& x, const Tensor& weights, int place);
/// The component that `classes` chooses at `place`.
MINIMA_API Tensor chosen(const Tensor& draws, const Tensor& classes, int place);
/// value with a dimension of size 1 at `place`.
MINIMA_API Tensor beside(const Tensor& value, int place);
/// variance + (mean - centre)² of each component.
MINIMA_API Tensor second_moments(const Tensor& variance, const Tensor& mean, const Tensor& centre);
}  // namespace detail

template <class Components>
Tensor MixtureSameFamily<Components>::log_prob(const Tensor& value) const {
  return detail::mix_log_probs(components.log_prob(detail::beside(value, place())), mixture.logits);
}
template <class Components>
Tensor MixtureSameFamily<Components>::weighted(const Tensor& moments) const {
  return detail::mix(moments, mixture.probs, place());
}
template <class Components>
Tensor MixtureSameFamily<Components>::variance() const {
  return weighted(detail::second_moments(components.variance(), components.mean(), detail::beside(mean(), place())));
}
template <class Components>
Tensor MixtureSameFamily<Components>::cdf(const Tensor& value) const {
  return weighted(components.cdf(detail::beside(value, place())));
}
template <class Components>
Tensor MixtureSameFamily<Components>::draw(const Shape& shape, RandomGenerator* generator) const {
  Shape classes = shape;
  classes.resize(shape.rank() - event_shape().rank());
  Shape all = shape;
  all.insert(shape.rank() - event_shape().rank(), mixture.logits.shape().back());
  const Tensor which = draw_from(mixture, classes, generator);
  return detail::chosen(draw_from(components, all, generator), which, place());
}

}  // namespace minima::distributions
