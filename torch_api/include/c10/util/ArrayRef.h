#pragma once

#include <minima/tensor/base/shape.h>

#include <c10/util/Exception.h>
#include <c10/util/SmallVector.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <ostream>
#include <vector>

namespace c10 {

/// A view of consecutive values that somebody else owns. As in LibTorch, it must not outlive the expression that a
/// brace list or a single value was written in.
template <class T>
class ArrayRef final {
 public:
  using iterator = const T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using size_type = std::size_t;
  using value_type = T;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T& single) : data_(&single), size_(1) {}
  constexpr ArrayRef(const T* data, std::size_t size) : data_(data), size_(size) {}
  constexpr ArrayRef(const T* begin, const T* end) : data_(begin), size_(static_cast<std::size_t>(end - begin)) {}
  template <class A>
  ArrayRef(const std::vector<T, A>& values) : data_(values.data()), size_(values.size()) {
    static_assert(!std::is_same_v<T, bool>, "ArrayRef<bool> cannot refer to a std::vector<bool>, which has no bools");
  }
  template <std::size_t N>
  constexpr ArrayRef(const std::array<T, N>& values) : data_(values.data()), size_(N) {}
  template <std::size_t N>
  constexpr ArrayRef(const T (&values)[N]) : data_(values), size_(N) {}
  constexpr ArrayRef(const std::initializer_list<T>& values) : data_(std::data(values)), size_(values.size()) {}
  /// Anything with data() and size(), such as ExpandingArray.
  template <class C>
  requires requires(const C& c) {
    { c.data() } -> std::same_as<const T*>;
    { c.size() } -> std::convertible_to<std::size_t>;
  } constexpr ArrayRef(const C& values) : data_(values.data()), size_(values.size()) {}
  ArrayRef(const minima::Shape& shape) requires std::is_same_v<T, std::int64_t>
      : data_(shape.data()), size_(static_cast<std::size_t>(shape.rank())) {}
  operator minima::Shape() const requires std::is_same_v<T, std::int64_t> {
    return minima::Shape(data_, static_cast<int>(size_));
  }

  constexpr iterator begin() const { return data_; }
  constexpr iterator end() const { return data_ + size_; }
  constexpr iterator cbegin() const { return begin(); }
  constexpr iterator cend() const { return end(); }
  constexpr reverse_iterator rbegin() const { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const { return reverse_iterator(begin()); }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  const T& front() const {
    TORCH_CHECK(!empty(), "ArrayRef: attempted to access front() of empty list");
    return data_[0];
  }
  const T& back() const {
    TORCH_CHECK(!empty(), "ArrayRef: attempted to access back() of empty list");
    return data_[size_ - 1];
  }
  constexpr const T& operator[](std::size_t i) const { return data_[i]; }
  const T& at(std::size_t i) const {
    TORCH_CHECK(i < size_, "ArrayRef: invalid index Index = ", i, "; Length = ", size_);
    return data_[i];
  }
  ArrayRef slice(std::size_t start, std::size_t count) const {
    TORCH_CHECK(start + count <= size_, "ArrayRef: invalid slice, N = ", start, "; M = ", count, "; size = ", size_);
    return {data_ + start, count};
  }
  ArrayRef slice(std::size_t start) const { return slice(start, size_ - start); }
  constexpr bool equals(ArrayRef other) const {
    if (size_ != other.size_) return false;
    for (std::size_t i = 0; i < size_; ++i)
      if (!(data_[i] == other.data_[i])) return false;
    return true;
  }
  std::vector<T> vec() const { return {begin(), end()}; }

  template <class U>
  requires std::is_same_v<U, T> ArrayRef& operator=(U&& temporary) = delete;
  template <class U>
  requires std::is_same_v<U, T> ArrayRef& operator=(std::initializer_list<U>) = delete;

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};
template <class T> ArrayRef(const T&) -> ArrayRef<T>;
template <class T> ArrayRef(const T*, std::size_t) -> ArrayRef<T>;
template <class T> ArrayRef(const T*, const T*) -> ArrayRef<T>;
template <class T, class A> ArrayRef(const std::vector<T, A>&) -> ArrayRef<T>;
template <class T, std::size_t N> ArrayRef(const std::array<T, N>&) -> ArrayRef<T>;
template <class T, std::size_t N> ArrayRef(const T (&)[N]) -> ArrayRef<T>;
template <class T> ArrayRef(const std::initializer_list<T>&) -> ArrayRef<T>;

using IntArrayRef = ArrayRef<std::int64_t>;
using IntList [[deprecated("use IntArrayRef")]] = IntArrayRef;

template <class T>
ArrayRef<T> makeArrayRef(const T& single) {
  return single;
}
template <class T>
ArrayRef<T> makeArrayRef(const T* data, std::size_t size) {
  return {data, size};
}
template <class T>
ArrayRef<T> makeArrayRef(const std::vector<T>& values) {
  return values;
}

template <class T>
constexpr bool operator==(ArrayRef<T> a, ArrayRef<T> b) {
  return a.equals(b);
}
template <class T>
bool operator==(const std::vector<T>& a, ArrayRef<T> b) {
  return ArrayRef<T>(a).equals(b);
}
template <class T>
bool operator==(ArrayRef<T> a, const std::vector<T>& b) {
  return a.equals(b);
}

template <class T>
std::ostream& operator<<(std::ostream& out, ArrayRef<T> list) {
  out << "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out << ", ";
    out << list[i];
  }
  return out << "]";
}

}  // namespace c10
