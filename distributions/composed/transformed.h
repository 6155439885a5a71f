#pragma once

#include <minima/distributions/core/distribution.h>
#include <minima/distributions/transforms/combined.h>
#include <minima/distributions/transforms/transform.h>

#include <memory>
#include <type_traits>
#include <utility>

namespace minima::distributions {

/// The distribution of transformed draws from another. Its density is log p(x) - log |det ∂y/∂x|; cdf and icdf are
/// there where the transforms are monotonic.
///   TransformedDistribution action(Normal(mean, scale), {TanhTransform(), AffineTransform(0, limit)});
class MINIMA_API TransformedDistribution : public Distribution {
 public:
  /// Throws ShapeError if a draw has fewer dimensions than the first transform takes.
  template <class Base>
  requires std::is_base_of_v<Distribution, Base> TransformedDistribution(Base base, Transforms transforms)
      : TransformedDistribution(std::make_shared<const Base>(std::move(base)),
                                ComposeTransform(std::move(transforms))) {}
  bool has_rsample() const override { return base->has_rsample(); }
  Tensor log_prob(const Tensor& value) const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "TransformedDistribution"; }

  std::shared_ptr<const Distribution> base;
  ComposeTransform transform;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  TransformedDistribution(std::shared_ptr<const Distribution> base, ComposeTransform transform);
};

}  // namespace minima::distributions
