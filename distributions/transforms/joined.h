#pragma once

#include <minima/distributions/transforms/transform.h>

#include <cstdint>
#include <vector>

namespace minima::distributions {

/// Transforms of elements, each for a part of a dimension: `lengths[i]` positions for transforms[i], by default one.
class MINIMA_API CatTransform : public Transform {
 public:
  /// Throws ValueError unless there is a positive length for each transform, and for transforms of vectors.
  explicit CatTransform(Transforms transforms, std::int64_t dim = 0, std::vector<std::int64_t> lengths = {});
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  const char* name() const override { return "CatTransform"; }

  Transforms transforms;
  std::int64_t dim;
  std::vector<std::int64_t> lengths;
};

/// Transforms of elements, one for each position of a dimension.
class MINIMA_API StackTransform : public Transform {
 public:
  /// Throws ValueError for transforms of vectors.
  explicit StackTransform(Transforms transforms, std::int64_t dim = 0);
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  const char* name() const override { return "StackTransform"; }

  Transforms transforms;
  std::int64_t dim;
};

/// Vectors [D·(D - 1)/2] as Cholesky factors [D, D] of correlation matrices: tanh of the numbers are partial
/// correlations, row by row below the diagonal.
class MINIMA_API CorrCholeskyTransform : public Transform {
 public:
  Tensor operator()(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  int domain_dims() const override { return 1; }
  int codomain_dims() const override { return 2; }
  /// Throws ShapeError for lengths that no D has.
  Shape forward_shape(const Shape& shape) const override;
  Shape inverse_shape(const Shape& shape) const override;
  const char* name() const override { return "CorrCholeskyTransform"; }
};

}  // namespace minima::distributions
