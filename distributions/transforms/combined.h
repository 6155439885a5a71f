#pragma once

#include <minima/distributions/core/distribution.h>
#include <minima/distributions/transforms/transform.h>

#include <memory>
#include <type_traits>
#include <utility>

namespace minima::distributions {

/// Transforms one after the other: the first one's argument, the last one's result.
class MINIMA_API ComposeTransform : public Transform {
 public:
  explicit ComposeTransform(Transforms parts);
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  /// Whether the last one's image contains y.
  Tensor contains(const Tensor& y) const override;
  Tensor drawn(const Tensor& y) const override;
  double inside() const override;
  int domain_dims() const override { return domain_dims_; }
  int codomain_dims() const override { return codomain_dims_; }
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override;
  Tensor sign() const override;
  const char* name() const override { return "ComposeTransform"; }

  Transforms parts;

 private:
  int domain_dims_ = 0, codomain_dims_ = 0;
};

/// A transform that counts `dims` more dimensions as parts of one event, so that the logarithms of determinants are
/// summed over them.
class MINIMA_API IndependentTransform : public Transform {
 public:
  IndependentTransform(Transforms base, int dims);
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Tensor contains(const Tensor& y) const override;
  Tensor drawn(const Tensor& y) const override;
  double inside() const override { return base.inside(); }
  int domain_dims() const override { return base.domain_dims() + dims; }
  int codomain_dims() const override { return base.codomain_dims() + dims; }
  Shape forward_shape(const Shape& shape) const override { return base.forward_shape(shape); }
  Shape inverse_shape(const Shape& shape) const override { return base.inverse_shape(shape); }
  Tensor sign() const override { return base.sign(); }
  const char* name() const override { return "IndependentTransform"; }

  ComposeTransform base;
  int dims;
};

/// The cumulative distribution function of a distribution that has it with its inverse.
class MINIMA_API CumulativeDistributionTransform : public Transform {
 public:
  template <class Law>
  requires std::is_base_of_v<Distribution, Law>
  explicit CumulativeDistributionTransform(Law law) : law(std::make_shared<const Law>(std::move(law))) {}
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Tensor contains(const Tensor& y) const override;
  double inside() const override { return 0.5; }
  Tensor sign() const override;
  const char* name() const override { return "CumulativeDistributionTransform"; }

  std::shared_ptr<const Distribution> law;
};

}  // namespace minima::distributions
