#pragma once

#include <minima/tensor/tensor.h>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace minima::distributions {

/// Base of functions that change variables, with the names and formulas of torch.distributions.transforms. They act on
/// the last `domain_dims` dimensions and give `codomain_dims`; those before them are a batch. Differentiable to any
/// order.
class MINIMA_API Transform {
 public:
  virtual ~Transform();
  virtual Tensor operator()(const Tensor& x) const = 0;
  /// The x of which y is the image; for functions that have none, one of them, as each says.
  virtual Tensor inverse(const Tensor& y) const = 0;
  /// log |det ∂y/∂x| of y = (*this)(x), without the dimensions that the transform acts on. Throws ValueError where the
  /// function is no bijection.
  virtual Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const;
  /// Whether y is an image, as far as a test of elements can tell; undefined if any is.
  virtual Tensor contains(const Tensor& y) const;
  /// A number whose tensors `contains` accepts.
  virtual double inside() const { return 0; }
  /// The image y of a draw, moved off the edges that `contains` excludes where rounding has put it there.
  virtual Tensor drawn(const Tensor& y) const;
  virtual int domain_dims() const { return 0; }
  virtual int codomain_dims() const { return domain_dims(); }
  /// The shape of the image of a tensor of this shape, and the reverse.
  virtual Shape forward_shape(const Shape& shape) const { return shape; }
  virtual Shape inverse_shape(const Shape& shape) const { return shape; }
  /// 1 where the function increases, -1 where it decreases; throws ValueError unless it is monotonic.
  virtual Tensor sign() const;
  /// `ExpTransform`
  virtual const char* name() const = 0;

 protected:
  Transform() = default;
  Transform(const Transform&) = default;
  Transform(Transform&&) = default;
  Transform& operator=(const Transform&) = default;
  Transform& operator=(Transform&&) = default;
};

/// Transforms to be applied one after the other.
class Transforms {
 public:
  /// Transforms({AffineTransform(0, 2), ExpTransform()})
  class Item {
   public:
    template <class T>
    requires std::is_base_of_v<Transform, T>
    Item(T transform) : transform(std::make_shared<const T>(std::move(transform))) {}
    std::shared_ptr<const Transform> transform;
  };
  Transforms(std::initializer_list<Item> items) {
    for (const Item& item : items) list_.push_back(item.transform);
  }
  template <class T>
  requires std::is_base_of_v<Transform, T> Transforms(T transform) : Transforms({Item(std::move(transform))}) {}

  std::size_t size() const { return list_.size(); }
  const Transform& operator[](std::size_t i) const { return *list_[i]; }

 private:
  std::vector<std::shared_ptr<const Transform>> list_;
};

}  // namespace minima::distributions
