#pragma once

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

// Shapes of parameters [..., C] over classes. Internal to distributions.

namespace minima::distributions::detail {

/// C; throws ShapeError for a rank of 0.
inline std::int64_t classes_of(const char* name, const Tensor& parameter) {
  if (parameter.rank() == 0 || parameter.shape().back() == 0)
    throw ShapeError(str(name, ": the last dimension of the parameter must be that of the classes, got ", parameter));
  return parameter.shape().back();
}

/// [...]; throws ShapeError for a rank of 0.
inline Shape without_classes(const char* name, const Tensor& parameter) {
  classes_of(name, parameter);
  Shape shape = parameter.shape();
  shape.resize(shape.rank() - 1);
  return shape;
}

}  // namespace minima::distributions::detail
