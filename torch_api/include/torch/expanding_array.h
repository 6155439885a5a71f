#pragma once

#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <vector>

namespace torch {

/// `D` values, made from a list of `D` or from one that counts for all: a kernel size `3` or `{3, 5}`.
template <std::size_t D, typename T = std::int64_t>
class ExpandingArray {
 public:
  ExpandingArray(std::initializer_list<T> values) { assign(values.begin(), values.size()); }
  ExpandingArray(const std::vector<T>& values) { assign(values.begin(), values.size()); }
  ExpandingArray(c10::ArrayRef<T> values) { assign(values.begin(), values.size()); }
  ExpandingArray(T value) { values_.fill(value); }
  ExpandingArray(const std::array<T, D>& values) : values_(values) {}

  std::array<T, D>& operator*() { return values_; }
  const std::array<T, D>& operator*() const { return values_; }
  std::array<T, D>* operator->() { return &values_; }
  const std::array<T, D>* operator->() const { return &values_; }
  operator c10::ArrayRef<T>() const { return values_; }
  std::size_t size() const noexcept { return D; }

 protected:
  ExpandingArray() = default;

  template <typename Iterator>
  void assign(Iterator first, std::size_t count) {
    TORCH_CHECK(count == D, "Expected ", D, " values, but instead got ", count);
    std::copy_n(first, D, values_.begin());
  }

  std::array<T, D> values_;
};

template <std::size_t D, typename T>
std::ostream& operator<<(std::ostream& stream, const ExpandingArray<D, T>& array) {
  if constexpr (D == 1) return stream << array->front();
  return stream << static_cast<c10::ArrayRef<T>>(array);
}

/// An ExpandingArray whose elements may be missing, such as the output size of an adaptive pool.
template <std::size_t D, typename T = std::int64_t>
class ExpandingArrayWithOptionalElem : public ExpandingArray<D, std::optional<T>> {
  using Base = ExpandingArray<D, std::optional<T>>;

 public:
  using Base::Base;
  ExpandingArrayWithOptionalElem(std::initializer_list<T> values) { this->assign(values.begin(), values.size()); }
  ExpandingArrayWithOptionalElem(const std::vector<T>& values) { this->assign(values.begin(), values.size()); }
  ExpandingArrayWithOptionalElem(c10::ArrayRef<T> values) { this->assign(values.begin(), values.size()); }
  ExpandingArrayWithOptionalElem(T value) : Base(std::optional<T>(value)) {}
  ExpandingArrayWithOptionalElem(const std::array<T, D>& values) { this->assign(values.begin(), D); }
};

template <std::size_t D, typename T>
std::ostream& operator<<(std::ostream& stream, const ExpandingArrayWithOptionalElem<D, T>& array) {
  if (D > 1) stream << '[';
  for (std::size_t i = 0; i < D; ++i) {
    if (i > 0) stream << ", ";
    if (const std::optional<T>& value = (*array)[i]) stream << *value;
    else stream << "None";
  }
  return D > 1 ? stream << ']' : stream;
}

}  // namespace torch
