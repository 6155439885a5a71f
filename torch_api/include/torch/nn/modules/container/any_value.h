#pragma once

#include <c10/util/Exception.h>
#include <c10/util/Type.h>

#include <any>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace torch::nn {

/// A value of any copyable type, which is got back by naming exactly that type.
class AnyValue {
 public:
  template <typename T>
  requires(!std::is_same_v<std::decay_t<T>, AnyValue>)
  explicit AnyValue(T&& value) : content_(std::in_place_type<std::decay_t<T>>, std::forward<T>(value)) {}

  template <typename T>
  T* try_get() {
    static_assert(!std::is_reference_v<T>, "AnyValue stores decayed types, you cannot cast it to a reference type");
    static_assert(!std::is_array_v<T>, "AnyValue stores decayed types, you must cast it to T* instead of T[]");
    return std::any_cast<T>(&content_);
  }

  template <typename T>
  T get() {
    if (T* value = try_get<T>()) return *value;
    TORCH_CHECK(false, "Attempted to cast AnyValue to ", c10::demangle(typeid(T).name()), ", but its actual type is ",
                c10::demangle(type_info().name()));
  }

  const std::type_info& type_info() const noexcept { return content_.type(); }

 private:
  std::any content_;
};

}  // namespace torch::nn
