#pragma once

#include <c10/util/ArrayRef.h>

#include <optional>

namespace c10 {

/// An optional list. Unlike std::optional<ArrayRef>, it is made of a brace list or a single value in one step.
template <class T>
class OptionalArrayRef final {
 public:
  constexpr OptionalArrayRef() = default;
  constexpr OptionalArrayRef(std::nullopt_t) {}
  template <class U>
  requires(std::is_constructible_v<ArrayRef<T>, U &&> && !std::is_same_v<std::remove_cvref_t<U>, OptionalArrayRef> &&
           !std::is_same_v<std::remove_cvref_t<U>, std::optional<ArrayRef<T>>> &&
           !std::is_arithmetic_v<std::remove_cvref_t<U>>)
  constexpr OptionalArrayRef(U&& list) : list_(ArrayRef<T>(std::forward<U>(list))) {}
  /// Not by the template above: the int64_t that an int becomes has to outlive the constructor.
  constexpr OptionalArrayRef(const T& single) : list_(ArrayRef<T>(single)) {}
  constexpr OptionalArrayRef(const std::initializer_list<T>& list) : list_(ArrayRef<T>(list)) {}
  constexpr OptionalArrayRef(const std::optional<ArrayRef<T>>& list) : list_(list) {}
  OptionalArrayRef(const std::optional<std::vector<T>>& list) {
    if (list) list_ = ArrayRef<T>(*list);
  }

  constexpr bool has_value() const { return list_.has_value(); }
  constexpr explicit operator bool() const { return has_value(); }
  constexpr const ArrayRef<T>& value() const { return list_.value(); }
  constexpr const ArrayRef<T>& operator*() const { return *list_; }
  constexpr const ArrayRef<T>* operator->() const { return &*list_; }
  constexpr ArrayRef<T> value_or(ArrayRef<T> other) const { return list_.value_or(other); }
  void reset() { list_.reset(); }
  operator std::optional<ArrayRef<T>>() const { return list_; }

 private:
  std::optional<ArrayRef<T>> list_;
};
using OptionalIntArrayRef = OptionalArrayRef<std::int64_t>;

}  // namespace c10
