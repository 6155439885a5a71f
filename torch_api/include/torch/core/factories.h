#pragma once

#include <torch/core/tensor.h>

#include <functional>
#include <initializer_list>
#include <vector>

// Tensors of given numbers or memory.

namespace at {

using Deleter = std::function<void(void*)>;

namespace detail {
/// A tensor of rank 1 with a copy of `count` values of the given type.
Tensor tensor_of(ScalarType type, const void* values, std::size_t count, const TensorOptions& options);
}  // namespace detail

/// A tensor of rank 1, of T's dtype unless the options name one. (torch::tensor is another function.)
template <class T>
requires(CppTypeToScalarType<T>::exists) Tensor tensor(ArrayRef<T> values, const TensorOptions& options = {}) {
  return detail::tensor_of(CppTypeToScalarType<T>::value, values.data(), values.size(), options);
}
template <class T>
requires(CppTypeToScalarType<T>::exists)
Tensor tensor(std::initializer_list<T> values, const TensorOptions& options = {}) {
  return detail::tensor_of(CppTypeToScalarType<T>::value, values.begin(), values.size(), options);
}
template <class T>
requires(CppTypeToScalarType<T>::exists && !std::is_same_v<T, bool>)
Tensor tensor(const std::vector<T>& values, const TensorOptions& options = {}) {
  return tensor(ArrayRef<T>(values), options);
}
template <class T>
requires(CppTypeToScalarType<T>::exists) Tensor tensor(T value, const TensorOptions& options = {}) {
  return tensor(ArrayRef<T>(value), options);
}

/// A tensor on memory that the caller owns. `deleter(data)` is called when no tensor uses it any more.
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const Deleter& deleter,
                 const TensorOptions& options = {});
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options = {});
Tensor from_blob(void* data, IntArrayRef sizes, const Deleter& deleter, const TensorOptions& options = {});
Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options = {});

}  // namespace at
