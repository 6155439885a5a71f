#pragma once

#include <c10/core/Device.h>
#include <c10/core/Scalar.h>
#include <c10/core/SymInt.h>
#include <c10/util/ArrayRef.h>
#include <torch/core/tensor.h>

#include <complex>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace c10 {

struct IValue;
template <class T>
class List;
template <class Key, class Value>
class Dict;

namespace detail {
struct DictEntries;
template <class T>
struct FromIValue;
}  // namespace detail

namespace ivalue {
/// The elements of a tuple.
struct Tuple {
  std::vector<IValue> values;
  static std::shared_ptr<Tuple> create(std::vector<IValue> values);
  const std::vector<IValue>& elements() const { return values; }
  std::size_t size() const;
};
/// A string that values share.
struct ConstantString {
  std::string value;
  const std::string& string() const { return value; }
  operator const std::string&() const { return value; }
};
}  // namespace ivalue

namespace impl {
using GenericList = List<IValue>;
using GenericDict = Dict<IValue, IValue>;
}  // namespace impl

/// A value of one of the types that archives, pickles and AutogradContext::saved_data hold: nothing, a tensor, a
/// number, a bool, a string, a device, or lists, tuples and dictionaries of them. TorchScript's objects, functions and
/// futures do not exist here. Lists and dictionaries are shared by copies.
struct IValue final {
  enum class Tag : std::uint8_t { None, Tensor, Double, ComplexDouble, Int, Bool, String, Device, List, Tuple, Dict };

  IValue() = default;
  IValue(std::nullopt_t) {}
  IValue(at::Tensor value);
  IValue(double value) : tag_(Tag::Double), real_(value) {}
  IValue(std::complex<double> value) : tag_(Tag::ComplexDouble), real_(value.real()), imaginary_(value.imag()) {}
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  IValue(T value) : tag_(std::is_same_v<T, bool> ? Tag::Bool : Tag::Int), integer_(static_cast<std::int64_t>(value)) {}
  template <class T, std::enable_if_t<std::is_enum_v<T>, int> = 0>
  IValue(T value) : IValue(static_cast<std::int64_t>(value)) {}
  IValue(SymInt value) : IValue(static_cast<std::int64_t>(value)) {}
  IValue(float value) : IValue(static_cast<double>(value)) {}
  IValue(const Scalar& value);
  IValue(std::string value);
  IValue(const char* value) : IValue(std::string(value)) {}
  IValue(Device value);
  template <class T>
  IValue(const List<T>& list);
  template <class K, class V>
  IValue(const Dict<K, V>& dict);
  template <class T>
  IValue(const std::vector<T>& values) : IValue(List<T>(values)) {}
  template <class T>
  IValue(ArrayRef<T> values) : IValue(List<T>(values)) {}
  template <class T>
  IValue(const std::optional<T>& value) : IValue(value ? IValue(*value) : IValue()) {}
  IValue(std::shared_ptr<ivalue::Tuple> tuple);
  template <class... T>
  IValue(const std::tuple<T...>& values)
      : IValue(std::apply([](const T&... v) { return ivalue::Tuple::create({IValue(v)...}); }, values)) {}

  Tag tag() const { return tag_; }
  std::string tagKind() const;

  bool isNone() const { return tag_ == Tag::None; }
  bool isTensor() const { return tag_ == Tag::Tensor; }
  bool isDouble() const { return tag_ == Tag::Double; }
  bool isComplexDouble() const { return tag_ == Tag::ComplexDouble; }
  bool isInt() const { return tag_ == Tag::Int; }
  bool isBool() const { return tag_ == Tag::Bool; }
  bool isScalar() const { return isDouble() || isComplexDouble() || isInt() || isBool(); }
  bool isString() const { return tag_ == Tag::String; }
  bool isDevice() const { return tag_ == Tag::Device; }
  bool isList() const { return tag_ == Tag::List; }
  bool isTensorList() const { return is_list_of(Tag::Tensor); }
  bool isIntList() const { return is_list_of(Tag::Int); }
  bool isDoubleList() const { return is_list_of(Tag::Double); }
  bool isBoolList() const { return is_list_of(Tag::Bool); }
  bool isTuple() const { return tag_ == Tag::Tuple; }
  bool isGenericDict() const { return tag_ == Tag::Dict; }
  bool isModule() const { return false; }
  bool isObject() const { return false; }
  bool isCustomClass() const { return false; }

  // Throw unless the value is of that type, but for toDouble, which takes integers too.
  const at::Tensor& toTensor() const;
  double toDouble() const;
  std::complex<double> toComplexDouble() const;
  std::int64_t toInt() const;
  SymInt toSymInt() const { return toInt(); }
  bool toBool() const;
  Scalar toScalar() const;
  const std::string& toStringRef() const;
  std::string_view toStringView() const { return toStringRef(); }
  std::shared_ptr<const ivalue::ConstantString> toString() const;
  Device toDevice() const;
  ScalarType toScalarType() const { return static_cast<ScalarType>(toInt()); }
  impl::GenericList toList() const;
  const std::vector<IValue>& toListRef() const;
  List<at::Tensor> toTensorList() const;
  List<std::int64_t> toIntList() const;
  List<double> toDoubleList() const;
  List<bool> toBoolList() const;
  std::vector<at::Tensor> toTensorVector() const;
  std::vector<std::int64_t> toIntVector() const;
  std::vector<SymInt> toSymIntVector() const;
  std::vector<double> toDoubleVector() const;
  std::shared_ptr<ivalue::Tuple> toTuple() const;
  const ivalue::Tuple& toTupleRef() const { return *toTuple(); }
  impl::GenericDict toGenericDict() const;

  template <class T>
  T to() const {
    return detail::FromIValue<T>::get(*this);
  }
  template <class T>
  std::optional<T> toOptional() const {
    if (isNone()) return std::nullopt;
    return to<T>();
  }

  /// Tensors are equal if they are the same; LibTorch compares their elements.
  bool operator==(const IValue& other) const;
  bool is(const IValue& other) const;
  bool isAliasOf(const IValue& other) const;
  /// Clones tensors, each once, however many times it is in the value.
  IValue deepcopy() const;

  struct CompIdentityIValues {
    bool operator()(const IValue& a, const IValue& b) const { return a.is(b); }
  };

 private:
  template <class T>
  friend class List;
  template <class K, class V>
  friend class Dict;
  IValue(Tag tag, std::shared_ptr<void> box) : tag_(tag), box_(std::move(box)) {}
  bool is_list_of(Tag tag) const;
  void expect(Tag tag) const;
  std::shared_ptr<std::vector<IValue>> items() const;
  std::shared_ptr<detail::DictEntries> entries() const;

  Tag tag_ = Tag::None;
  std::int64_t integer_ = 0;
  double real_ = 0, imaginary_ = 0;
  std::shared_ptr<void> box_;  ///< what a tensor, string, device, list, tuple or dictionary is
};

std::ostream& operator<<(std::ostream& out, const IValue& value);

namespace detail {
template <class T>
struct FromIValue {
  static T get(const IValue& value) {
    if constexpr (std::is_same_v<T, IValue>) return value;
    else if constexpr (std::is_same_v<T, at::Tensor>) return value.toTensor();
    else if constexpr (std::is_same_v<T, bool>) return value.toBool();
    else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value.toDouble());
    else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) return static_cast<T>(value.toInt());
    else if constexpr (std::is_same_v<T, std::complex<double>>) return value.toComplexDouble();
    else if constexpr (std::is_same_v<T, SymInt>) return value.toSymInt();
    else if constexpr (std::is_same_v<T, std::string>) return value.toStringRef();
    else if constexpr (std::is_same_v<T, Scalar>) return value.toScalar();
    else if constexpr (std::is_same_v<T, Device>) return value.toDevice();
    else static_assert(sizeof(T) == 0, "IValue::to: no conversion to this type");
  }
};
}  // namespace detail

inline std::size_t ivalue::Tuple::size() const { return values.size(); }

}  // namespace c10

#include <ATen/core/Dict.h>
#include <ATen/core/List.h>

namespace c10 {

template <class T>
IValue::IValue(const List<T>& list) : tag_(Tag::List), box_(list.items_) {}
template <class K, class V>
IValue::IValue(const Dict<K, V>& dict) : tag_(Tag::Dict), box_(dict.entries_) {}

namespace detail {
template <class T>
struct FromIValue<std::vector<T>> {
  static std::vector<T> get(const IValue& value) {
    std::vector<T> result;
    for (const IValue& item : value.toListRef()) result.push_back(item.to<T>());
    return result;
  }
};
template <class T>
struct FromIValue<List<T>> {
  static List<T> get(const IValue& value) { return List<T>(value); }
};
template <class K, class V>
struct FromIValue<Dict<K, V>> {
  static Dict<K, V> get(const IValue& value) { return Dict<K, V>(value); }
};
template <class T>
struct FromIValue<std::optional<T>> {
  static std::optional<T> get(const IValue& value) { return value.toOptional<T>(); }
};
}  // namespace detail

}  // namespace c10

namespace at {
using c10::IValue;
}
namespace torch {
using c10::Dict;
using c10::IValue;
using c10::List;
}  // namespace torch
