#pragma once

#include <torch/core/tensor.h>

#include <initializer_list>
#include <ostream>
#include <vector>

namespace torch::detail {

using namespace at;  // NOLINT

enum class TensorDataContainerType : std::uint8_t { Scalar, InitList, Tensor };

/// The argument of torch::tensor: a number, nested braces of numbers of one type, or a list of numbers. It refers to
/// the braces, so it must not outlive the expression.
class TensorDataContainer {
 public:
  /// `{}`: an empty list
  TensorDataContainer() : sizes_{0}, scalar_type_(get_default_dtype_as_scalartype()), type_(Kind::InitList) {}
  template <class T>
  requires(CppTypeToScalarType<T>::exists)
  TensorDataContainer(T value) : scalar_type_(CppTypeToScalarType<T>::value), type_(Kind::Scalar), scalar_(value) {}
  TensorDataContainer(std::initializer_list<TensorDataContainer> list);
  template <class T>
  requires(CppTypeToScalarType<T>::exists) TensorDataContainer(ArrayRef<T> values)
      : TensorDataContainer(CppTypeToScalarType<T>::value, values.data(), values.size()) {}
  template <class T>
  requires(CppTypeToScalarType<T>::exists && !std::is_same_v<T, bool>)
  TensorDataContainer(const std::vector<T>& values) : TensorDataContainer(ArrayRef<T>(values)) {}
  TensorDataContainer(const std::vector<bool>& values);

  bool is_scalar() const { return type_ == Kind::Scalar; }
  bool is_init_list() const { return type_ == Kind::InitList; }
  bool is_tensor() const { return type_ == Kind::Tensor; }
  const Scalar& scalar() const;
  const std::initializer_list<TensorDataContainer>& init_list() const;
  const Tensor& tensor() const;
  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  const ScalarType& scalar_type() const { return scalar_type_; }

  Tensor convert_to_tensor(TensorOptions options) const;
  void pretty_print_recursive(std::ostream& out) const;

 private:
  using Kind = TensorDataContainerType;

  TensorDataContainer(ScalarType type, const void* values, std::size_t count);

  std::vector<std::int64_t> sizes_;
  ScalarType scalar_type_;
  Kind type_;
  Scalar scalar_;
  std::initializer_list<TensorDataContainer> init_list_;
  Tensor tensor_;
};

inline std::ostream& operator<<(std::ostream& out, const TensorDataContainer& values) {
  values.pretty_print_recursive(out);
  return out;
}

}  // namespace torch::detail

namespace torch {
/// `tensor(1.5)`, `tensor({{1, 2}, {3, 4}})`, `tensor(std::vector<float>{1, 2})`. As in Python, integers give kLong and
/// floating-point numbers the default dtype, unless the options name one.
inline at::Tensor tensor(detail::TensorDataContainer values, const at::TensorOptions& options = {}) {
  return values.convert_to_tensor(options);
}
}  // namespace torch
