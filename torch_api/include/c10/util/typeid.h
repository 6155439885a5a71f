#pragma once

#include <c10/core/ScalarType.h>

#include <optional>
#include <string_view>

namespace caffe2 {

/// The result of `tensor.dtype()`: a ScalarType that also tells its size and name. Other C++ types have none.
class TypeMeta final {
 public:
  constexpr TypeMeta() = default;
  constexpr explicit TypeMeta(c10::ScalarType type) : type_(type) {}
  template <class T>
  static constexpr TypeMeta Make() {
    static_assert(c10::CppTypeToScalarType<T>::exists, "TypeMeta: only tensors' element types have one");
    return TypeMeta(c10::CppTypeToScalarType<T>::value);
  }
  static constexpr TypeMeta fromScalarType(c10::ScalarType type) { return TypeMeta(type); }
  constexpr TypeMeta& operator=(c10::ScalarType type) {
    type_ = type;
    return *this;
  }

  constexpr c10::ScalarType toScalarType() const { return type_; }
  constexpr bool isScalarType() const { return type_ != c10::ScalarType::Undefined; }
  constexpr bool isScalarType(c10::ScalarType type) const { return type_ == type; }
  std::size_t itemsize() const { return c10::elementSize(type_); }
  std::string_view name() const;
  template <class T>
  constexpr bool Match() const {
    return *this == Make<T>();
  }
  template <class T>
  static std::string_view TypeName() {
    return Make<T>().name();
  }

  friend constexpr bool operator==(TypeMeta, TypeMeta) = default;

 private:
  c10::ScalarType type_ = c10::ScalarType::Undefined;
};
inline constexpr bool operator==(TypeMeta meta, c10::ScalarType type) { return meta.toScalarType() == type; }
inline constexpr bool operator==(c10::ScalarType type, TypeMeta meta) { return meta.toScalarType() == type; }
std::ostream& operator<<(std::ostream& out, TypeMeta meta);

}  // namespace caffe2

namespace c10 {

using caffe2::TypeMeta;
constexpr TypeMeta scalarTypeToTypeMeta(ScalarType type) { return TypeMeta(type); }
constexpr ScalarType typeMetaToScalarType(TypeMeta meta) { return meta.toScalarType(); }
constexpr std::optional<ScalarType> optTypeMetaToScalarType(std::optional<TypeMeta> meta) {
  return meta ? std::optional(meta->toScalarType()) : std::nullopt;
}

}  // namespace c10
