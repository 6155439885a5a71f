#pragma once

#include <minima/distributions/core/distribution.h>
#include <minima/distributions/transforms/transform.h>

namespace minima::distributions {

/// loc + scale·x. The last `event_dims` dimensions count as one event.
class MINIMA_API AffineTransform : public Transform {
 public:
  AffineTransform(const Argument& loc, const Argument& scale, int event_dims = 0);
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  int domain_dims() const override { return event_dims; }
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override { return forward_shape(shape); }
  Tensor sign() const override;
  const char* name() const override { return "AffineTransform"; }

  Tensor loc, scale;
  int event_dims;

 private:
  AffineTransform(std::vector<Tensor> parameters, int event_dims);
};

/// eˣ.
class MINIMA_API ExpTransform : public Transform {
 public:
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Tensor contains(const Tensor& y) const override;
  Tensor drawn(const Tensor& y) const override;
  double inside() const override { return 1; }
  Tensor sign() const override;
  const char* name() const override { return "ExpTransform"; }
};

/// x^exponent of positive x.
class MINIMA_API PowerTransform : public Transform {
 public:
  explicit PowerTransform(const Argument& exponent);
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Tensor contains(const Tensor& y) const override;
  Tensor drawn(const Tensor& y) const override;
  double inside() const override { return 1; }
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override { return forward_shape(shape); }
  Tensor sign() const override;
  const char* name() const override { return "PowerTransform"; }

  Tensor exponent;
};

/// 1 / (1 + e⁻ˣ), kept off 0 and 1 by the dtype's smallest number and epsilon.
class MINIMA_API SigmoidTransform : public Transform {
 public:
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Tensor contains(const Tensor& y) const override;
  double inside() const override { return 0.5; }
  Tensor sign() const override;
  const char* name() const override { return "SigmoidTransform"; }
};

/// log(1 + eˣ).
class MINIMA_API SoftplusTransform : public Transform {
 public:
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Tensor contains(const Tensor& y) const override;
  Tensor drawn(const Tensor& y) const override;
  double inside() const override { return 1; }
  Tensor sign() const override;
  const char* name() const override { return "SoftplusTransform"; }
};

/// tanh x.
class MINIMA_API TanhTransform : public Transform {
 public:
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Tensor contains(const Tensor& y) const override;
  Tensor drawn(const Tensor& y) const override;
  Tensor sign() const override;
  const char* name() const override { return "TanhTransform"; }
};

/// |x|, which is no bijection; the inverse is y.
class MINIMA_API AbsTransform : public Transform {
 public:
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  const char* name() const override { return "AbsTransform"; }
};

}  // namespace minima::distributions
