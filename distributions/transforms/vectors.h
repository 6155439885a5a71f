#pragma once

#include <minima/distributions/transforms/transform.h>

namespace minima::distributions {

/// softmax over the last dimension, which is no bijection; the inverse is log y.
class MINIMA_API SoftmaxTransform : public Transform {
 public:
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  int domain_dims() const override { return 1; }
  const char* name() const override { return "SoftmaxTransform"; }
};

/// Vectors [K] as probabilities [K + 1], each a share sigmoid(xₖ - log(K - k)) of what those before it left.
class MINIMA_API StickBreakingTransform : public Transform {
 public:
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Tensor contains(const Tensor& y) const override;
  double inside() const override { return 0.5; }
  int domain_dims() const override { return 1; }
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override;
  const char* name() const override { return "StickBreakingTransform"; }
};

/// Matrices [D, D] as lower triangular ones with a positive diagonal: what is above the diagonal is dropped, the
/// diagonal exponentiated.
class MINIMA_API LowerCholeskyTransform : public Transform {
 public:
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  int domain_dims() const override { return 2; }
  const char* name() const override { return "LowerCholeskyTransform"; }
};

/// The product L·Lᵀ of LowerCholeskyTransform's L: positive definite matrices.
class MINIMA_API PositiveDefiniteTransform : public Transform {
 public:
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  int domain_dims() const override { return 2; }
  const char* name() const override { return "PositiveDefiniteTransform"; }
};

/// Events of one shape as events of another with as many elements.
class MINIMA_API ReshapeTransform : public Transform {
 public:
  /// Throws ShapeError if the numbers of elements differ.
  ReshapeTransform(Shape from, Shape to);
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  int domain_dims() const override { return from.rank(); }
  int codomain_dims() const override { return to.rank(); }
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override;
  const char* name() const override { return "ReshapeTransform"; }

  Shape from, to;
};

}  // namespace minima::distributions
