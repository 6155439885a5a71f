#pragma once

#include <minima/distributions/core/distribution.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <utility>

namespace minima::distributions {

/// Counts the last dimensions of a distribution's batch as parts of one event, so that log_prob sums over them:
///   Independent posterior(Normal(mean, scale), 1);  // mean [B, D]: log_prob is [B]
template <class Base>
class Independent : public Distribution {
 public:
  /// Throws ValueError if the batch has fewer dimensions.
  Independent(Base of, int dims)
      : Distribution(batch_of(of, dims), event_of(of, dims)), base(std::move(of)), dims(dims) {}
  bool has_rsample() const override { return base.has_rsample(); }
  Tensor log_prob(const Tensor& value) const override { return detail::sum_rightmost(base.log_prob(value), dims); }
  Tensor entropy() const override { return detail::sum_rightmost(base.entropy(), dims); }
  Tensor mean() const override { return base.mean(); }
  Tensor variance() const override { return base.variance(); }
  const char* name() const override { return "Independent"; }

  Base base;
  int dims;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override {
    return draw_from(base, shape, generator);
  }

 private:
  static Shape batch_of(const Base& of, int dims) {
    Shape shape = of.batch_shape();
    if (dims < 0 || dims > shape.rank())
      throw ValueError(str("Independent: a batch of shape ", shape, " has no ", dims, " dimensions for the event"));
    shape.resize(shape.rank() - dims);
    return shape;
  }
  static Shape event_of(const Base& of, int dims) {
    const Shape& shape = of.batch_shape();
    return detail::joined(Shape(shape.begin() + (shape.rank() - dims), dims), of.event_shape());
  }
};

}  // namespace minima::distributions
